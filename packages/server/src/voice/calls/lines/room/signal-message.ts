import protobuf from "protobufjs/minimal.js";

const FIELD = { join: 1, answer: 2, offer: 3, trickle: 4 } as const;
const OF_JOIN = { pingTimeout: 10, pingInterval: 11 } as const;
const OF_DESCRIPTION = { type: 1, sdp: 2 } as const;
const OF_TRICKLE = { candidateInit: 1, target: 2 } as const;
const TYPES = new Set(["answer", "offer"]);
const PING_SECONDS_MAX = 3_600;
/** Form of an ICE candidate (RFC 8839, section 5.1). */
const CANDIDATE = /^(?:candidate:)?[A-Za-z0-9+/]{1,32} \d{1,3} \w+ \d{1,10} \S{1,255} \d{1,5} typ \w+/;

/** Verdict on a message: `passed` forwards it to the client, `dropped` ignores it, and `broken` ends the connection. */
type SignalVerdict = "passed" | "dropped" | "broken";

/**
 * Returns the verdict on a message of a media server (`SignalResponse` of the platform's protocol). Some messages must not reach the
 * third-party package that connects to rooms, because it ends its process when it cannot read a session description, a candidate or an
 * interval.
 */
export function judgeSignal(message: Uint8Array): SignalVerdict {
  let verdict: SignalVerdict = "passed";
  try {
    eachField(message, (field, reader) => {
      if (field === FIELD.join && !isJoin(reader.bytes())) verdict = "broken";
      else if ((field === FIELD.answer || field === FIELD.offer) && !isDescription(reader.bytes())) verdict = "broken";
      else if (field === FIELD.trickle && !isCandidate(reader.bytes())) verdict = "dropped";
      else return field > FIELD.trickle ? undefined : true;
      return true;
    });
  } catch {
    return "broken";
  }
  return verdict;
}

/** Returns whether a message contains an ICE candidate. */
export const isTrickle = ([tag]: Uint8Array): boolean => tag === (FIELD.trickle << 3) + 2;

/** Calls `read` for each field of a protobuf message. `read` returns true when it has read the value; otherwise the value is skipped. */
function eachField(message: Uint8Array, read: (field: number, reader: protobuf.Reader) => true | undefined): void {
  const reader = protobuf.Reader.create(message);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!read(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
}

function isJoin(message: Uint8Array): boolean {
  let [timeout, interval] = [0, 0];
  eachField(message, (field, reader) => {
    if (field === OF_JOIN.pingTimeout) timeout = reader.int32();
    else if (field === OF_JOIN.pingInterval) interval = reader.int32();
    else return undefined;
    return true;
  });
  return timeout >= 0 && timeout <= PING_SECONDS_MAX && interval > 0 && interval <= PING_SECONDS_MAX;
}

function isDescription(message: Uint8Array): boolean {
  let [type, sdp] = ["", ""];
  eachField(message, (field, reader) => {
    if (field === OF_DESCRIPTION.type) type = reader.string();
    else if (field === OF_DESCRIPTION.sdp) sdp = reader.string();
    else return undefined;
    return true;
  });
  return TYPES.has(type) && /^v=0\r?\no=/.test(sdp);
}

function isCandidate(message: Uint8Array): boolean {
  let [json, target] = ["", 0];
  eachField(message, (field, reader) => {
    if (field === OF_TRICKLE.candidateInit) json = reader.string();
    else if (field === OF_TRICKLE.target) target = reader.int32();
    else return undefined;
    return true;
  });
  const { candidate, sdpMid, sdpMLineIndex } = JSON.parse(json) as Record<string, unknown>;
  return (
    (target === 0 || target === 1) &&
    typeof candidate === "string" &&
    CANDIDATE.test(candidate) &&
    typeof sdpMid === "string" &&
    Number.isInteger(sdpMLineIndex)
  );
}

import { protobufFields } from "@svc/sdk";

// Messages of LiveKit's agent session protocol (livekit.agent.AgentSessionMessage) that a conversation by text needs. The field
// numbers are from livekit_agent_session.proto.

export type SessionItem =
  | { kind: "message"; role: "agent" | "other"; text: string }
  | { kind: "call"; callId: string; name: string; arguments: string }
  | { kind: "output"; callId: string; output: string; isError: boolean };

export type SessionMessage =
  | { kind: "item"; item: SessionItem }
  | { kind: "response"; requestId: string; error: string | undefined; items: SessionItem[]; isBusy: boolean }
  | { kind: "playback" }
  | { kind: "other" };

const ASSISTANT = 3;
const THINKING = 3;
const SPEAKING = 4;

const utf8 = new TextEncoder();
const text = new TextDecoder();

const bytesField = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
const textField = (number: number, value: string) => bytesField(number, utf8.encode(value));
const NONE = new Uint8Array();
const OFF = Buffer.from([0x08, 0x00]); // field 1, a bool: false

const request = (requestId: string, number: number, body: Uint8Array) =>
  bytesField(4, Buffer.concat([textField(1, requestId), bytesField(number, body)]));

/** The response contains the items of the agent's turn. */
export const runInput = (requestId: string, words: string) => request(requestId, 5, textField(1, words));

/** The agent then neither synthesizes speech nor waits for playback. */
export const turnOffAudio = (requestId: string) =>
  request(requestId, 11, Buffer.concat([bytesField(1, OFF), bytesField(2, OFF)]));

export const getState = (requestId: string) => request(requestId, 7, NONE);

/** An agent that sends audio although audio is off waits for the report that the audio has been played. */
export const playbackFinished = () => bytesField(8, NONE);

/** Throws when the bytes are not protobuf. */
export function decodeMessage(bytes: Uint8Array): SessionMessage {
  for (const { number, value } of protobufFields(bytes)) {
    if (typeof value === "number") continue;
    if (number === 3) return eventOf(value);
    if (number === 5) return responseOf(value);
    if (number === 6) return { kind: "playback" };
  }
  return { kind: "other" };
}

function eventOf(bytes: Uint8Array): SessionMessage {
  const added = messageIn(bytes, 12);
  const item = added && messageIn(added, 1);
  const decoded = item && itemOf(item);
  return decoded ? { kind: "item", item: decoded } : { kind: "other" };
}

function responseOf(bytes: Uint8Array): SessionMessage {
  const turn = messageIn(bytes, 6);
  const state = messageIn(bytes, 8);
  const error = messageIn(bytes, 2);
  const agentState = state === undefined ? 0 : numberIn(state, 1);
  return {
    kind: "response",
    requestId: textIn(bytes, 1),
    error: error && text.decode(error),
    items: turn === undefined ? [] : messagesIn(turn, 1).flatMap((item) => itemOf(item) ?? []),
    isBusy: agentState === THINKING || agentState === SPEAKING,
  };
}

function itemOf(bytes: Uint8Array): SessionItem | undefined {
  const message = messageIn(bytes, 1);
  if (message) {
    const parts = messagesIn(message, 3).map((content) => textIn(content, 1));
    const role = numberIn(message, 2) === ASSISTANT ? "agent" : "other";
    return { kind: "message", role, text: parts.join("\n") };
  }
  const call = messageIn(bytes, 2);
  if (call) {
    const [callId, args, name] = [2, 3, 4].map((number) => textIn(call, number)) as [string, string, string];
    return { kind: "call", callId, name, arguments: args };
  }
  const output = messageIn(bytes, 3);
  if (!output) return undefined;
  const isError = numberIn(output, 5) === 1;
  return { kind: "output", callId: textIn(output, 3), output: textIn(output, 4), isError };
}

function messagesIn(bytes: Uint8Array, field: number): Uint8Array[] {
  return [...protobufFields(bytes)].flatMap(({ number, value }) =>
    number === field && typeof value !== "number" ? [value] : [],
  );
}

const messageIn = (bytes: Uint8Array, field: number) => messagesIn(bytes, field).at(-1);
const textIn = (bytes: Uint8Array, field: number) => text.decode(messageIn(bytes, field) ?? NONE);

function numberIn(bytes: Uint8Array, field: number): number {
  for (const { number, value } of protobufFields(bytes))
    if (number === field && typeof value === "number") return value;
  return 0;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

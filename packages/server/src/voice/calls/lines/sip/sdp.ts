import { isIPv4 } from "node:net";

/** The encodings of sound on a SIP line, in the order in which the service offers them, with their static payload types. */
export const PAYLOAD_TYPES = { G722: 9, PCMU: 0, PCMA: 8 } as const;
/** Payload type in which the service offers the keys of a telephone (RFC 4733). */
export const EVENT_TYPE = 101;
export type SipCodec = keyof typeof PAYLOAD_TYPES;

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";

/** `direction` is from the other side's view. */
export type RemoteSound = {
  address: string;
  port: number;
  controlPort: number;
  codec: SipCodec;
  /** Payload type of the keys of a telephone that the other side takes; null when it takes none. */
  eventType: number | null;
  direction: Direction;
};

/** Sound is not sent to lower ports, because these ports belong to well-known services. */
const PORT_MIN = 1_024;
const PORT_MAX = 65_534;
const DIRECTIONS = new Set(["sendrecv", "sendonly", "recvonly", "inactive"]);
const ANSWERS: Record<Direction, Direction> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};

/** Without `remote`, offers all codecs; otherwise answers the other side's description. */
export function writeSdp(address: string, port: number, version: number, remote?: RemoteSound): string {
  const codecs = remote ? [remote.codec] : (Object.keys(PAYLOAD_TYPES) as SipCodec[]);
  const eventType = remote ? remote.eventType : EVENT_TYPE;
  const types = [...codecs.map((codec) => PAYLOAD_TYPES[codec]), ...(eventType === null ? [] : [eventType])];
  const lines = [
    "v=0",
    `o=svc 1 ${version} IN IP4 ${address}`,
    "s=-",
    `c=IN IP4 ${address}`,
    "t=0 0",
    `m=audio ${port} RTP/AVP ${types.join(" ")}`,
    ...codecs.map((codec) => `a=rtpmap:${PAYLOAD_TYPES[codec]} ${codec}/8000`),
    ...(eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`]),
    "a=ptime:20",
    `a=${remote ? ANSWERS[remote.direction] : "sendrecv"}`,
  ];
  return `${lines.join("\r\n")}\r\n`;
}

/** Returns undefined when the description contains no sound that the line supports. */
export function readSdp(body: Buffer): RemoteSound | undefined {
  let address: string | undefined;
  let direction: Direction = "sendrecv";
  let audio: { port: number; types: string[] } | undefined;
  let control: number | undefined;
  const eventTypes = new Set<string>();
  let isOther = false;
  for (const line of body.toString("utf8").split(/\r?\n/)) {
    const media = /^m=(\w+) (\d{1,5})(?:\/\d+)? (\S+) (.*)$/.exec(line);
    if (media) {
      const [, kind, port, protocol, types] = media as unknown as [string, string, string, string, string];
      isOther = audio !== undefined || kind !== "audio" || protocol !== "RTP/AVP" || port === "0";
      if (!isOther) audio = { port: Number(port), types: types.split(" ") };
    } else if (!isOther) {
      address = /^c=IN IP4 ([0-9.]+)/.exec(line)?.[1] ?? address;
      control = Number(/^a=rtcp:(\d{1,5})\b/.exec(line)?.[1] ?? control);
      const event = /^a=rtpmap:(\d{1,3}) telephone-event\/8000\b/i.exec(line)?.[1];
      if (event !== undefined) eventTypes.add(event);
      const attribute = /^a=(\w+)\s*$/.exec(line)?.[1] ?? "";
      if (DIRECTIONS.has(attribute)) direction = attribute as Direction;
    }
  }
  const codec = audio?.types.map((one) => codecOfType(Number(one))).find((one) => one !== undefined);
  if (!audio || codec === undefined || address === undefined || !isIPv4(address)) return undefined;
  if (!isUsable(audio.port)) return undefined;
  // Older peers put a call on hold with this address.
  if (address === "0.0.0.0") direction = "inactive";
  const controlPort = isUsable(control) ? control : audio.port + 1;
  const event = audio.types.find((one) => eventTypes.has(one) && isDynamic(Number(one)));
  return {
    address,
    port: audio.port,
    controlPort,
    codec,
    eventType: event === undefined ? null : Number(event),
    direction,
  };
}

/** Returns the encoding of a static payload type; undefined for another type. */
export const codecOfType = (type: number | undefined): SipCodec | undefined =>
  (Object.keys(PAYLOAD_TYPES) as SipCodec[]).find((codec) => PAYLOAD_TYPES[codec] === type);

/** RTCP's packet types begin at 192, and 96 to 127 are the payload types that have no fixed meaning. */
const isDynamic = (type: number): boolean => type >= 96 && type <= 127;

const isUsable = (port: number | undefined): port is number => port! >= PORT_MIN && port! <= PORT_MAX;

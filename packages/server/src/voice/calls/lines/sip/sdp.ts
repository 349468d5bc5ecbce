import { isIPv4 } from "node:net";

/** The encodings of sound on a SIP line, with their static payload types. */
export const PAYLOAD_TYPES = { PCMU: 0, PCMA: 8 } as const;
export type SipCodec = keyof typeof PAYLOAD_TYPES;

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";

/** `direction` is from the other side's view. */
export type RemoteSound = {
  address: string;
  port: number;
  controlPort: number;
  codec: SipCodec;
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
  const lines = [
    "v=0",
    `o=svc 1 ${version} IN IP4 ${address}`,
    "s=-",
    `c=IN IP4 ${address}`,
    "t=0 0",
    `m=audio ${port} RTP/AVP ${codecs.map((codec) => PAYLOAD_TYPES[codec]).join(" ")}`,
    ...codecs.map((codec) => `a=rtpmap:${PAYLOAD_TYPES[codec]} ${codec}/8000`),
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
      const attribute = /^a=(\w+)\s*$/.exec(line)?.[1] ?? "";
      if (DIRECTIONS.has(attribute)) direction = attribute as Direction;
    }
  }
  const type = audio?.types.find((one) => one === "0" || one === "8");
  if (!audio || type === undefined || address === undefined || !isIPv4(address)) return undefined;
  if (!isUsable(audio.port)) return undefined;
  // Older peers put a call on hold with this address.
  if (address === "0.0.0.0") direction = "inactive";
  const controlPort = isUsable(control) ? control : audio.port + 1;
  return { address, port: audio.port, controlPort, codec: type === "0" ? "PCMU" : "PCMA", direction };
}

const isUsable = (port: number | undefined): port is number => port! >= PORT_MIN && port! <= PORT_MAX;

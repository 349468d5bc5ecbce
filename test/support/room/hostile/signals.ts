import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

// The messages of platform_b's signalling that the attacks use, with the names and numbers of its protocol.
const { root } = protobuf.parse(`
syntax = "proto3";
message SignalRequest {
  oneof message { SessionDescription offer = 1; SessionDescription answer = 2; TrickleRequest trickle = 3; AddTrackRequest add_track = 4; LeaveRequest leave = 8; }
}
message SignalResponse {
  oneof message {
    JoinResponse join = 1; SessionDescription answer = 2; SessionDescription offer = 3; TrickleRequest trickle = 4;
    ParticipantUpdate update = 5; LeaveRequest leave = 8; RoomUpdate room_update = 11; string refresh_token = 16;
    ReconnectResponse reconnect = 19; Pong pong_resp = 20; RoomMovedResponse room_moved = 24;
    MediaSectionsRequirement media_sections_requirement = 25;
  }
}
message SessionDescription { string type = 1; string sdp = 2; uint32 id = 3; }
message TrickleRequest { string candidateInit = 1; uint32 target = 2; bool final = 3; }
message AddTrackRequest { string cid = 1; string name = 2; }
message Room { string sid = 1; string name = 2; string metadata = 8; }
message ParticipantInfo { string sid = 1; string identity = 2; uint32 state = 3; string metadata = 5; string name = 9; }
message ParticipantUpdate { repeated ParticipantInfo participants = 1; }
message RoomUpdate { Room room = 1; }
message ICEServer { repeated string urls = 1; string username = 2; string credential = 3; }
message ClientConfiguration { uint32 resume_connection = 3; uint32 force_relay = 5; }
message ServerInfo { uint32 edition = 1; string version = 2; int32 protocol = 3; string region = 4; }
message JoinResponse {
  Room room = 1; ParticipantInfo participant = 2; repeated ParticipantInfo other_participants = 3; string server_version = 4;
  repeated ICEServer ice_servers = 5; bool subscriber_primary = 6; string alternative_url = 7;
  ClientConfiguration client_configuration = 8; string server_region = 9; int32 ping_timeout = 10; int32 ping_interval = 11;
  ServerInfo server_info = 12; bool fast_publish = 15;
}
message ReconnectResponse { repeated ICEServer ice_servers = 1; ClientConfiguration client_configuration = 2; ServerInfo server_info = 3; }
message RegionInfo { string region = 1; string url = 2; int64 distance = 3; }
message RegionSettings { repeated RegionInfo regions = 1; }
message LeaveRequest { bool can_reconnect = 1; uint32 reason = 2; uint32 action = 3; RegionSettings regions = 4; }
message RoomMovedResponse { Room room = 1; string token = 2; ParticipantInfo participant = 3; }
message MediaSectionsRequirement { uint32 num_audios = 1; uint32 num_videos = 2; }
message Pong { int64 last_ping_timestamp = 1; int64 timestamp = 2; }
message WrappedJoinRequest { uint32 compression = 1; bytes join_request = 2; }
message JoinRequest { SessionDescription publisher_offer = 6; bool reconnect = 7; string participant_sid = 9; }
`);

const typeOf = (name: string) => root.lookupType(name);

export type Description = { type: string; sdp: string };

/** Returns the bytes of a message of the media server. Its members have the names of the protocol in camel case. */
export const signal = (message: Record<string, unknown>): Buffer => {
  const type = typeOf("SignalResponse");
  return Buffer.from(type.encode(type.fromObject(message)).finish());
};

/** Returns a message of the client. */
export const readRequest = (bytes: Buffer): { offer?: Description; answer?: Description; addTrack?: object } =>
  typeOf("SignalRequest").decode(bytes).toJSON();

/** Returns which message of the media server the bytes are. */
export const nameOfSignal = (bytes: Buffer): string | undefined =>
  Object.keys(typeOf("SignalResponse").decode(bytes).toJSON())[0];

const GZIP = 1;

/** Returns the offer that a client sends in the address of its WebSocket, and whether it connects again. */
export function joinRequestIn(path: string): { offer?: Description; reconnect: boolean } {
  const { searchParams } = new URL(path, "http://media");
  const wrapped = searchParams.get("join_request");
  if (wrapped === null) return { reconnect: searchParams.get("reconnect") === "1" };
  const { compression = 0, joinRequest } = typeOf("WrappedJoinRequest").decode(
    Buffer.from(wrapped, "base64url"),
  ) as unknown as { compression: number; joinRequest: Buffer };
  const request = typeOf("JoinRequest").decode(compression === GZIP ? gunzipSync(joinRequest) : joinRequest);
  const { publisherOffer, reconnect = false } = request.toJSON() as {
    publisherOffer?: Description;
    reconnect?: boolean;
  };
  return { ...(publisherOffer && { offer: publisherOffer }), reconnect };
}

/** Returns the first message of a room, with changed or more members. */
export const joined = (more: Record<string, unknown> = {}): Buffer =>
  signal({
    join: {
      room: { sid: "RM_1", name: "room" },
      participant: { sid: "PA_1", identity: "svc-caller", name: "svc", state: 2 },
      serverVersion: "1.11.0",
      serverInfo: { version: "1.11.0", protocol: 16 },
      subscriberPrimary: false,
      pingTimeout: 15,
      pingInterval: 5,
      ...more,
    },
  });

const FINGERPRINT = `sha-256 ${Array.from({ length: 32 }, (_, at) => (at * 7 + 3).toString(16).padStart(2, "0").toUpperCase()).join(":")}`;

/** Returns the lines of an SDP section for a data channel, without its first two lines. */
const dataSection = (setup: string, candidates: readonly string[]): string[] => [
  "c=IN IP4 0.0.0.0",
  "a=ice-ufrag:hstl",
  "a=ice-pwd:hostilehostilehostilehostile",
  `a=fingerprint:${FINGERPRINT}`,
  `a=setup:${setup}`,
  "a=sctp-port:5000",
  "a=max-message-size:262144",
  ...candidates.map((candidate) => `a=${candidate}`),
];

const session = (bundle: string): string[] => [
  "v=0",
  "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  `a=group:BUNDLE ${bundle}`,
  "a=ice-lite",
  "a=msid-semantic: WMS *",
];

const DATA = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel";
const lines = (...parts: string[][]): string => `${parts.flat().join("\r\n")}\r\n`;

/** Returns the answer to a client's offer. It accepts only the section for data. */
export function answerTo(offer: string, candidates: readonly string[]): Description {
  const sections = offer.split(/^(?=m=)/m).slice(1);
  const answered = sections.map((section) => {
    const [first = ""] = section.split("\r\n");
    const mid = `a=mid:${midOf(section)}`;
    if (first.startsWith("m=application")) return [DATA, ...dataSection("passive", candidates), mid];
    return [first.replace(/^(m=\w+) \d+/, "$1 0"), "c=IN IP4 0.0.0.0", "a=inactive", mid];
  });
  const data = sections.find((section) => section.startsWith("m=application")) ?? "";
  return { type: "answer", sdp: lines(session(midOf(data)), ...answered) };
}

/** Returns which section of an offer is for data, for candidates that are sent later. */
export function dataPlaceIn(offer: string): { sdpMid: string; sdpMLineIndex: number } {
  const sections = offer.split(/^(?=m=)/m).slice(1);
  const at = Math.max(
    0,
    sections.findIndex((section) => section.startsWith("m=application")),
  );
  return { sdpMid: midOf(sections[at] ?? ""), sdpMLineIndex: at };
}

const midOf = (section: string): string => /^a=mid:(.*?)\r?$/m.exec(section)?.[1] ?? "0";

/** Returns the offer of a media server with a section for data. */
export const offerWith = (candidates: readonly string[]): Description => ({
  type: "offer",
  sdp: lines(session("0"), [DATA, ...dataSection("actpass", candidates), "a=mid:0"]),
});

export const CANDIDATE_KINDS = ["host", "srflx", "relay", "tcp passive", "tcp active"] as const;
export type CandidateKind = (typeof CANDIDATE_KINDS)[number];

/** Returns an ICE candidate for an address or a name. */
export function candidate(kind: CandidateKind, host: string, port: number, serial: number): string {
  const isTcp = kind.startsWith("tcp");
  const priority = 2_130_706_431 - serial;
  const type = isTcp || kind === "host" ? "host" : `${kind} raddr 0.0.0.0 rport 0`;
  const tcp = isTcp ? ` tcptype ${kind.slice(4)}` : "";
  return `candidate:${serial + 1} 1 ${isTcp ? "tcp" : "udp"} ${priority} ${host} ${port} typ ${type}${tcp}`;
}

import { randomBytes } from "node:crypto";
import { CALL_RATE, FRAME_MS, FRAME_SAMPLES, joined } from "../../../audio/audio.ts";
import { createResampler } from "../../../audio/resample.ts";
import type { PacketCounts } from "../../call.ts";
import { createAllowance } from "../allowance.ts";
import { createControl } from "./control.ts";
import { createJitterBuffer } from "./jitter-buffer.ts";
import { createReception } from "./reception.ts";
import { readRtp, type RtpPacket, writeRtp } from "./rtp-packet.ts";
import { codecOfType, EVENT_TYPE, PAYLOAD_TYPES, type RemoteSound, type SipCodec } from "./sdp.ts";
import type { Hop } from "./signalling-socket.ts";
import { createDecoding, createEncoding, rateOf } from "./sound-codecs.ts";
import { createEventReceiver, createEventSender } from "./telephone-events.ts";
import type { CallSockets } from "./sockets.ts";
import { estimatedMos } from "./voice-quality.ts";

const FRAMES_PER_PACKET = 2;
/** Timestamps count at 8 kHz for all codecs of the line. */
const PACKET_TICKS = 8 * FRAMES_PER_PACKET * FRAME_MS;
/** A peer sends at most 100 packets per second. Packets beyond these limits are ignored. */
const PACKETS_AT_ONCE_MAX = 200;
const PACKETS_PER_MS = 0.2;
/** Time without packets after which a stream has stopped. Another stream of the peer may then replace the stopped stream. */
const STREAM_STOPPED_MS = 100;

/** The sound of one call over RTP (RFC 3550). */
export type RtpSound = {
  /** `signalling` is the address from which the other side sends its signalling. */
  use: (remote: RemoteSound, signalling: string) => void;
  send: (frame: Int16Array) => void;
  /** Sends a key as events in place of the sound, if the other side takes them. */
  press: (key: string) => void;
  hear: () => Int16Array;
  /** Returns for how long the other side has sent nothing although it should send, in milliseconds. */
  silentMs: () => number;
  packets: () => { received: PacketCounts | null; sent: PacketCounts | null };
  roundTripMs: () => number | null;
  estimatedMos: () => number | null;
  close: () => void;
};

/** Decoder, buffer and resampler for received sound of one codec. */
function createHearing(codec: SipCodec) {
  const rate = rateOf(codec);
  const buffer = createJitterBuffer(rate);
  const decode = createDecoding(codec);
  const up = createResampler(rate, CALL_RATE);
  return {
    codec,
    push: (timestamp: number, codes: Uint8Array) => buffer.push(timestamp, decode(codes)),
    next: () => up.push(buffer.next((rate * FRAME_MS) / 1_000)),
  };
}

type Stream = Hop & { source: number; atMs: number };

const isAt = (one: Hop | undefined, other: Hop | undefined): boolean =>
  one?.address === other?.address && one?.port === other?.port;

export function createRtpSound(
  { sound: socket, control: controlSocket }: Omit<CallSockets, "signalling">,
  pressed: (key: string) => void,
): RtpSound {
  const source = randomBytes(4).readUInt32BE();
  const reception = createReception();
  const ofStream = createAllowance(PACKETS_AT_ONCE_MAX, PACKETS_PER_MS);
  const ofOthers = createAllowance(PACKETS_AT_ONCE_MAX, PACKETS_PER_MS);
  const sentEvents = createEventSender();
  const heardEvents = createEventReceiver();
  const unsent: Int16Array[] = [];
  let hearing: ReturnType<typeof createHearing> | undefined;
  let encoding: { codec: SipCodec; encode: (samples: Int16Array) => Uint8Array } | undefined;
  let remote: RemoteSound | undefined;
  let signalling = "";
  let stream: Stream | undefined;
  /** The described address from which the peer moved its sound. Late packets from there do not bring the sound back. */
  let left: Hop | undefined;
  let sequence = randomBytes(2).readUInt16BE();
  let timestamp = randomBytes(4).readUInt32BE();
  let sentPackets = 0;
  let sentOctets = 0;
  let silentFrames = 0;
  let isOpen = true;

  /** Behind NAT, the peer's sound arrives from another port, or from the address of its signalling. */
  const isOfPeer = (address: string): boolean =>
    remote !== undefined && (address === remote.address || address === signalling);

  const isOfStream = ({ address, port }: Hop, from: number): boolean =>
    stream?.address === address && stream.port === port && stream.source === from;

  const control = createControl({
    socket: controlSocket,
    source,
    isOfPeer,
    sent: () => ({ timestamp, packets: sentPackets, octets: sentOctets }),
    reception,
    heardSource: () => stream?.source,
    quiet: () => (silentFrames = 0),
  });

  /** When the played stream has stopped, another stream of the peer replaces it. */
  function isHeard(from: Hop, packetSource: number, nowMs: number): boolean {
    if (!isOfStream(from, packetSource)) {
      if (!ofOthers.take(1) || (stream && nowMs - stream.atMs < STREAM_STOPPED_MS)) return false;
      hearing = undefined;
      reception.restart();
      heardEvents.restart();
    } else if (!ofStream.take(1)) return false;
    stream = { address: from.address, port: from.port, source: packetSource, atMs: nowMs };
    return true;
  }

  socket.on("message", (datagram, from) => {
    if (!isOfPeer(from.address)) return;
    const packet = readRtp(datagram);
    const isEvent = packet?.type === EVENT_TYPE || packet?.type === remote?.eventType;
    const codec = codecOfType(packet?.type);
    const nowMs = performance.now();
    if (!packet || (!codec && !isEvent) || !isHeard(from, packet.source, nowMs)) return;
    silentFrames = 0;
    if (!reception.take(packet, nowMs, isEvent)) return;
    if (!codec) {
      const key = heardEvents.take(packet.timestamp, packet.payload);
      if (key !== undefined) pressed(key);
      return;
    }
    if (hearing?.codec !== codec) hearing = createHearing(codec);
    if (!hearing.push(packet.timestamp, packet.payload)) reception.late();
  });

  const receives = () => remote?.direction === "sendrecv" || remote?.direction === "recvonly";
  const sends = () => remote?.direction === "sendrecv" || remote?.direction === "sendonly";

  function transmit(packet: Pick<RtpPacket, "type" | "isMarked" | "timestamp" | "payload">): void {
    const { address, port } = stream && !isAt(stream, left) ? stream : remote!;
    sequence = (sequence + 1) & 0xffff;
    sentPackets++;
    sentOctets += packet.payload.length;
    socket.send(writeRtp({ ...packet, sequence, source }), port, address, () => {});
  }

  return {
    use(described, from) {
      if (!isAt(described, remote)) {
        // Behind NAT, the sound does not come from the described address, and only its packets show where it comes from.
        left = isAt(stream, remote) ? remote : undefined;
        stream = undefined;
      }
      remote = described;
      signalling = from;
      silentFrames = 0;
      control.use({ address: described.address, port: described.controlPort });
    },

    send(frame) {
      unsent.push(frame);
      if (unsent.length < FRAMES_PER_PACKET) return;
      const samples = joined(unsent.splice(0));
      timestamp = (timestamp + PACKET_TICKS) >>> 0;
      const keys = remote?.eventType == null ? [] : sentEvents.next(timestamp, PACKET_TICKS);
      if (!remote || !isOpen || !receives()) return void (sequence = (sequence + 1) & 0xffff);
      if (keys.length === 0) {
        const { codec } = remote;
        if (encoding?.codec !== codec) encoding = { codec, encode: createEncoding(codec) };
        return transmit({ type: PAYLOAD_TYPES[codec], isMarked: false, timestamp, payload: encoding.encode(samples) });
      }
      for (const key of keys) transmit({ type: remote.eventType!, ...key });
    },

    press(key) {
      if (remote?.eventType != null) sentEvents.press(key);
    },

    hear() {
      if (sends()) silentFrames++;
      control.tick();
      return hearing?.next() ?? new Int16Array(FRAME_SAMPLES);
    },

    silentMs: () => silentFrames * FRAME_MS,

    packets: () => ({
      received: reception.counts(),
      sent: sentPackets === 0 ? null : { packets: sentPackets, late: null, ...control.reported() },
    }),

    roundTripMs: control.roundTripMs,

    estimatedMos() {
      const counts = hearing?.codec === "G722" ? null : reception.counts();
      return counts && estimatedMos(counts.packets + counts.lost!, counts.lost! + counts.late!);
    },

    close() {
      if (!isOpen) return;
      isOpen = false;
      control.close();
      socket.close();
    },
  };
}

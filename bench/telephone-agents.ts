// The agents of `telephone.ts`, in a process of their own: SIP agents, each of which takes one call at a time, and one media stream.
import { startFakeSipAgent, type FakeSipCall, soundPacket } from "../test/support/calls/fake-sip-agent.ts";
import { type FakeCall, startFakeVoiceAgent } from "../test/support/calls/fake-voice-agent.ts";
import { createToneDetector, framesOf, tone } from "../test/support/audio/tones.ts";
import { encodeAlaw } from "../packages/server/src/voice/audio/alaw.ts";
import { CALL_RATE } from "../packages/server/src/voice/audio/audio.ts";
import { createG722Encoder } from "../packages/server/src/voice/audio/g722.ts";
import { decodeMulaw, encodeMulaw } from "../packages/server/src/voice/audio/mulaw.ts";
import { resample } from "../packages/server/src/voice/audio/resample.ts";
import { seeded } from "../packages/server/src/base/seeded.ts";
import { startFrameClock } from "../packages/server/src/voice/calls/media/frame-clock.ts";
import {
  type Codec,
  CODECS,
  type Delays,
  type FromAgents,
  LOSSES,
  nowMs,
  PLAYS_FROM_MS,
  playsOver,
  type ToAgents,
} from "./telephone-messages.ts";

const PACKET_MS = 20;
const TONE_EVERY = 29;
const TONE_PACKETS = 3;
const toneCodes = encodeMulaw(tone(1_000, PACKET_MS / 1_000, 0.4, 8_000));
const silentCodes = new Uint8Array(160).fill(0xff);
const payloadOf = (at: number) => (at % TONE_EVERY < TONE_PACKETS ? toneCodes : silentCodes);

let delays: { sip: Delays; stream: Delays };
let [packets, gapMaxMs, gapsOver60, byes] = [0, 0, 0, 0];
let clock: ReturnType<typeof startFrameClock> | undefined;
let payloads: Record<Codec, Uint8Array[]>;

function restart(): void {
  delays = { sip: { sentMs: [], heardMs: [] }, stream: { sentMs: [], heardMs: [] } };
  [packets, gapMaxMs, gapsOver60, byes] = [0, 0, 0, 0];
  clock?.stop();
  clock = startFrameClock(() => {});
}
restart();

/** Sends tones until the next report, and notes when each tone begins. */
function sendTones(send: (codes: Uint8Array, at: number) => void, to: "sip" | "stream"): void {
  const ofRound = delays;
  const { sentMs } = delays[to];
  const startedMs = performance.now();
  let at = 0;
  const timer = setInterval(() => {
    if (delays !== ofRound) return clearInterval(timer);
    for (; at < (performance.now() - startedMs) / PACKET_MS; at++) {
      if (at % TONE_EVERY === 0) sentMs.push(nowMs());
      send(payloadOf(at), at);
    }
  }, 5);
}

function hearTones({ heardMs }: Delays): (codes: Uint8Array) => void {
  const starts = createToneDetector();
  return (codes) => {
    if (starts(decodeMulaw(codes))) heardMs.push(nowMs());
  };
}

function packetOf(at: number, codes: Uint8Array, type: number): Buffer {
  const packet = soundPacket(at, 1, 0xff);
  packet[1] = type;
  packet.set(codes, 12);
  return packet;
}

/**
 * Plays packets from a time of the call, in the clock of the caller. A packet of the caller is never early, so the earliest of them show
 * when the call began. Returns a function that takes the number of each packet of the caller.
 */
function playsFrom(fromMs: number, count: number, send: (at: number) => void): (packet: number) => void {
  let beganMs = Infinity;
  return (packet) => {
    if (packet * PACKET_MS < fromMs / 2) beganMs = Math.min(beganMs, nowMs() - (packet + 1) * PACKET_MS);
    if (packet !== Math.ceil(fromMs / 2 / PACKET_MS)) return;
    let at = 0;
    const timer = setInterval(() => {
      for (; at < count && beganMs + fromMs + (at + 1) * PACKET_MS <= nowMs(); at++) send(at);
      if (at === count) clearInterval(timer);
    }, 2);
  };
}

const plays = (codec: Codec, loss: number) => (call: FakeSipCall) => {
  const type = CODECS[codec];
  const random = seeded(`${codec} ${loss}`);
  const sound = payloads[codec];
  let packet = 0;
  const heard = playsFrom(PLAYS_FROM_MS, sound.length, (at) => {
    if (random() >= loss / 100) call.sendSound(packetOf(at, sound[at]!, type));
  });
  call.onSound = () => heard(packet++);
  call.accept(undefined, (sdp) => sdp.replace("AVP 0", `AVP ${type}`).replace("0 PCMU", `${type} ${codec}`));
};

async function speaks(call: FakeSipCall): Promise<void> {
  let lastMs: number | undefined;
  call.onSound = () => {
    const atMs = performance.now();
    packets++;
    const gap = lastMs === undefined ? 0 : atMs - lastMs;
    if (gap > 60) gapsOver60++;
    gapMaxMs = Math.max(gapMaxMs, gap);
    lastMs = atMs;
  };
  call.respond(180);
  call.accept();
  await call.confirmed();
  await call.say(600);
}

const sipBehaviors = {
  tones(call: FakeSipCall) {
    const hear = hearTones(delays.sip);
    call.onSound = (packet) => hear(packet.subarray(12));
    call.accept();
    void call.confirmed().then(() => sendTones((codes, at) => call.sendSound(packetOf(at, codes, 0)), "sip"));
  },
  speaks: (call: FakeSipCall) => void speaks(call),
  greets(call: FakeSipCall) {
    call.respond(180);
    call.accept();
    void call.say(0.6);
  },
  ...Object.fromEntries(
    (Object.keys(CODECS) as Codec[]).flatMap((codec) =>
      LOSSES.map((loss) => [playsOver(codec, loss), plays(codec, loss)] as const),
    ),
  ),
};

const onMedia = ({ socket }: FakeCall, run: (codes: Uint8Array) => void) =>
  socket.on("message", (data: Buffer) => {
    const { event, media } = JSON.parse(data.toString("utf8")) as { event: string; media?: { payload: string } };
    if (event === "media") run(Buffer.from(media!.payload, "base64"));
  });
const sendMedia = ({ send }: FakeCall, codes: Uint8Array) =>
  send({ event: "media", media: { payload: Buffer.from(codes).toString("base64") } });

const streamBehaviors = {
  tones(call: FakeCall) {
    onMedia(call, hearTones(delays.stream));
    sendTones((codes) => sendMedia(call, codes), "stream");
  },
  plays(call: FakeCall) {
    const sound = payloads.PCMU;
    let packet = 0;
    const heard = playsFrom(PLAYS_FROM_MS, sound.length, (at) => sendMedia(call, sound[at]!));
    onMedia(call, () => heard(packet++));
  },
};

function encoded(samples: Int16Array): typeof payloads {
  const narrow = framesOf(resample({ samples, rate: CALL_RATE }, 8_000).samples, 160);
  return {
    PCMU: narrow.map((frame) => Uint8Array.from(encodeMulaw(frame))),
    PCMA: narrow.map((frame) => Uint8Array.from(encodeAlaw(frame))),
    G722: framesOf(samples, 320).map(createG722Encoder()),
  };
}

async function open(count: number): Promise<FromAgents> {
  const stream = await startFakeVoiceAgent(streamBehaviors);
  const sip = await Promise.all(Array.from({ length: count }, () => startFakeSipAgent(sipBehaviors)));
  byesOf = () => sip.reduce((sum, { received }) => sum + received.filter(({ method }) => method === "BYE").length, 0);
  return { kind: "open", sip: sip.map((agent) => agent.urlOf("")), stream: stream.urlOf("") };
}
let byesOf = () => 0;

process.on("message", async (message: ToAgents) => {
  const tell = (answer: FromAgents) => process.send!(answer);
  if (message.kind === "open") return tell(await open(message.count));
  if (message.kind === "sound") {
    payloads = encoded(message.samples);
    return tell("ready");
  }
  byes = byesOf();
  tell({ kind: "report", ...delays, gapMaxMs, gapsOver60, packets, byes, ownGapMs: clock!.gapMaxMs() });
  restart();
});
process.on("disconnect", () => process.exit(0));

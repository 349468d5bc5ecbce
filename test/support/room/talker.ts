import {
  AudioFrame,
  AudioSource,
  AudioStream,
  dispose,
  LocalAudioTrack,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import { createToneDetector } from "../audio/tones.ts";

const RATE = 16_000;
const FRAME = RATE / 100;

/** A participant of a room that sends a tone for 100 ms in every half second, and reports when it hears a tone. */
type Talker = {
  /** The times of `performance.now()` at which it began to send a tone. */
  sentMs: number[];
  /** The times at which it heard the start of a tone. */
  heardMs: number[];
  leave: () => Promise<void>;
};

const tone = Int16Array.from({ length: FRAME }, (_, at) => 12_000 * Math.sin((2 * Math.PI * 1_000 * at) / RATE));
const silence = new Int16Array(FRAME);
const EVERY = 50;
const LENGTH = 10;

/** Returns the frame with this number: a tone for 100 ms in every half second. */
export const toneFrame = (frame: number): Int16Array => (frame % EVERY < LENGTH ? tone.slice() : silence.slice());
export const startsTone = (frame: number): boolean => frame % EVERY === 0;

export async function joinTalker(url: string, token: string): Promise<Talker> {
  const room = new Room();
  const source = new AudioSource(RATE, 1, 0);
  const talker: Talker = { sentMs: [], heardMs: [], leave };
  const starts = createToneDetector();
  room.on(RoomEvent.TrackSubscribed, async (track) => {
    if (track.kind !== TrackKind.KIND_AUDIO) return;
    for await (const { data } of new AudioStream(track, { sampleRate: RATE, numChannels: 1, frameSizeMs: 10 }))
      if (starts(data)) talker.heardMs.push(performance.now());
  });
  await room.connect(url, token, { autoSubscribe: true, dynacast: false });
  const options = new TrackPublishOptions();
  options.source = TrackSource.SOURCE_MICROPHONE;
  await room.localParticipant!.publishTrack(LocalAudioTrack.createAudioTrack("agent", source), options);
  const startedMs = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    while (frame < (performance.now() - startedMs) / 10) {
      if (startsTone(frame)) talker.sentMs.push(performance.now());
      void source.captureFrame(new AudioFrame(toneFrame(frame++), RATE, 1, FRAME)).catch(() => {});
    }
  }, 5);
  return talker;

  async function leave(): Promise<void> {
    clearInterval(timer);
    await source.close();
    await room.disconnect();
  }
}

// In a child process, joins the rooms whose tokens it gets, until the channel closes.
if (process.argv[1] === import.meta.filename && process.send) {
  process.on("message", async ({ url, tokens }: { url: string; tokens: string[] }) => {
    for (const token of tokens) await joinTalker(url, token);
    process.send!("joined");
  });
  process.on("disconnect", () => {
    void dispose().finally(() => process.exit(0));
  });
}

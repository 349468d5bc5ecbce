import { tts, VAD, type VADEvent, VADEventType, VADStream, voice } from "@livekit/agents";
import { AudioFrame } from "@livekit/rtc-node";

type UserSpeech = { startTime: number; endTime: number; transcript: string; sttDelay: number };

export const silentFrame = (ms: number, rate = 16_000) =>
  new AudioFrame(new Int16Array((rate * ms) / 1000), rate, 1, (rate * ms) / 1000);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reports speech at the scripted times and ignores the audio. */
export class ScriptedVAD extends VAD {
  label = "scripted-vad";
  readonly speeches: UserSpeech[];

  constructor(speeches: UserSpeech[]) {
    super({ updateInterval: 50 });
    this.speeches = speeches;
  }

  stream(): VADStream {
    return new ScriptedVADStream(this);
  }
}

class ScriptedVADStream extends VADStream {
  constructor(vad: ScriptedVAD) {
    super(vad);
    this.play(vad.speeches).catch((error: unknown) => console.error(error));
  }

  private async play(speeches: UserSpeech[]): Promise<void> {
    if ((await this.inputReader.read()).done) return;
    const start = performance.now();
    const now = () => performance.now() - start;
    let ended = false;
    const heard = async () => {
      while (!ended) ended = (await this.inputReader.read()).done;
    };
    heard().catch(() => (ended = true));
    for (const { startTime, endTime } of speeches) {
      await sleep(startTime - now());
      if (ended) return;
      this.sendVADEvent(
        event(VADEventType.START_OF_SPEECH, { speechDuration: 50, speaking: true, frames: [silentFrame(50)] }),
      );
      for (let spoken = 50; now() < endTime; spoken += 50) {
        await sleep(50);
        const during = { speechDuration: spoken, rawAccumulatedSpeech: spoken, speaking: true };
        this.sendVADEvent(event(VADEventType.INFERENCE_DONE, during));
      }
      await sleep(100);
      const spoken = { speechDuration: endTime - startTime, silenceDuration: 100, frames: [silentFrame(100)] };
      this.sendVADEvent(event(VADEventType.END_OF_SPEECH, spoken));
    }
  }
}

function event(type: VADEventType, parts: Partial<VADEvent>): VADEvent {
  return {
    type,
    samplesIndex: 0,
    timestamp: Date.now(),
    speechDuration: 0,
    silenceDuration: 0,
    frames: [],
    probability: 1,
    inferenceDuration: 1,
    speaking: false,
    rawAccumulatedSilence: 0,
    rawAccumulatedSpeech: 0,
    ...parts,
  };
}

/** Synthesises silence of 45 ms for each character. */
export class SilentTTS extends tts.TTS {
  label = "silent-tts";

  constructor() {
    super(24_000, 1, { streaming: true });
  }

  synthesize(): never {
    throw new Error("only streams");
  }

  stream(options?: { connOptions?: ConstructorParameters<typeof tts.SynthesizeStream>[1] }): tts.SynthesizeStream {
    return new SilentTTSStream(this, options?.connOptions);
  }

  override async close(): Promise<void> {}
}

class SilentTTSStream extends tts.SynthesizeStream {
  label = "silent-tts.stream";

  protected async run(): Promise<void> {
    let text = "";
    for await (const piece of this.input) {
      if (this.abortController.signal.aborted) return;
      if (typeof piece !== "string") continue;
      if (text === "") this.markStarted();
      text += piece;
    }
    await sleep(30);
    const frames = Math.ceil(Math.max(200, Math.min(3000, text.length * 45)) / 20);
    for (let i = 0; i < frames; i++) {
      const frame = silentFrame(20, 24_000);
      this.queue.put({
        requestId: "req",
        segmentId: "seg",
        frame,
        final: i === frames - 1,
        ...(i === 0 && { deltaText: text }),
      });
    }
    this.queue.put(tts.SynthesizeStream.END_OF_STREAM);
  }
}

/** An audio input that gives silence in real time. */
export class QuietMic extends voice.AudioInput {
  private stopped = false;

  constructor() {
    super();
    const frames = async (controller: ReadableStreamDefaultController<AudioFrame>) => {
      if (this.stopped) return controller.close();
      await sleep(20);
      controller.enqueue(silentFrame(20));
    };
    this.multiStream.addInputStream(new ReadableStream({ pull: frames }) as never);
  }

  override async close(): Promise<void> {
    this.stopped = true;
    await super.close();
  }
}

/** An audio output that plays in real time without sound, and stops when the session clears its buffer. */
export class MutedSpeaker extends voice.AudioOutput {
  private seconds = 0;
  private startedAt = 0;
  private end: NodeJS.Timeout | undefined;

  constructor() {
    super(24_000, undefined, { pause: false });
  }

  override async captureFrame(frame: AudioFrame): Promise<void> {
    await super.captureFrame(frame);
    if (this.seconds === 0) {
      this.startedAt = Date.now();
      this.onPlaybackStarted(this.startedAt);
    }
    this.seconds += frame.samplesPerChannel / frame.sampleRate;
  }

  override flush(): void {
    super.flush();
    if (this.seconds === 0) return;
    const leftMs = this.seconds * 1000 - (Date.now() - this.startedAt);
    this.end = setTimeout(() => this.finish(false), Math.max(0, leftMs));
  }

  clearBuffer(): void {
    this.finish(true);
  }

  private finish(interrupted: boolean): void {
    if (this.seconds === 0) return;
    clearTimeout(this.end);
    const played = (Date.now() - this.startedAt) / 1000;
    const playbackPosition = interrupted ? Math.min(this.seconds, played) : this.seconds;
    this.seconds = 0;
    this.onPlaybackFinished({ playbackPosition, interrupted });
  }
}

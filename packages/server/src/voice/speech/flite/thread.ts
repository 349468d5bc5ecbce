import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CALL_RATE, joined } from "../../audio/audio.ts";
import { resample } from "../../audio/resample.ts";
import { readWav } from "../../audio/wav.ts";
import { packageFile } from "../../../base/package-files.ts";
import { serveCalls, transfer } from "../../../base/threads/serve-calls.ts";
import type { FliteFace } from "./messages.ts";
import { compile, OUTPUT_FILE, runProgram } from "./wasi-host.ts";

// The built-in voices run in a separate thread, because flite uses up to several seconds of CPU time for a long text.

/** The thread has a lower priority than the threads that answer requests and process the frames of calls. */
const NICENESS = 5;

const program = compile(readFileSync(packageFile("flite.wasm")));

serveCalls<FliteFace>(
  () => ({
    calls: {
      async speak(utterances, voice, speed, signal) {
        const spoken: Int16Array[] = [];
        for (const utterance of utterances) {
          await nextTurn();
          signal.throwIfAborted();
          spoken.push(await speak(utterance, voice, speed));
        }
        const samples = joined(spoken);
        return transfer({ samples, rate: CALL_RATE }, [samples.buffer]);
      },
    },
  }),
  NICENESS,
);

async function speak(text: string, voice: string, speed: number): Promise<Int16Array> {
  const args = ["flite", "-voice", voice, "--setf", `duration_stretch=${1 / speed}`, "-t", text, "-o", OUTPUT_FILE];
  const { status, output } = await runProgram(program, args);
  if (status !== 0) throw new Error(`flite ended with status ${status}.`);
  const { rate, channels } = readWav(output);
  return resample({ samples: channels[0]!, rate }, CALL_RATE).samples;
}

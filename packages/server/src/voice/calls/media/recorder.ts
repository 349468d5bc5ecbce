import { type FileHandle, open } from "node:fs/promises";
import { CALL_RATE, FRAME_MS, joined } from "../../audio/audio.ts";
import { stereoBytes, WAV_HEADER_BYTES, wavHeader } from "../../audio/wav-writing.ts";

const FRAMES_PER_WRITE = 1_000 / FRAME_MS;
const CHANNELS = 2;
/** The recording fails when more writes than this wait for a slow disk. */
const WAITING_WRITES_MAX = 60;

type Recorder = {
  add: (caller: Int16Array, agent: Int16Array) => void;
  /** Returns the code of the error that made the file incomplete; null without an error. */
  finish: () => Promise<string | null>;
};

/** Records both sides of a call in a file. Players can play the file while it is being written. */
export function startRecorder(file: string): Recorder {
  let caller: Int16Array[] = [];
  let agent: Int16Array[] = [];
  let bytes = 0;
  let waiting = 0;
  let problem: string | null = null;
  let handle: FileHandle | undefined;

  const attempt = (work: () => Promise<unknown>) => async (): Promise<void> => {
    if (problem !== null) return;
    try {
      await work();
    } catch (error) {
      problem = (error as NodeJS.ErrnoException).code ?? "EIO";
    }
  };

  let written = attempt(async () => {
    handle = await open(file, "w", 0o600);
    await handle.write(wavHeader(CALL_RATE, CHANNELS, null));
  })();

  function flush(): void {
    if (caller.length === 0) return;
    const sound = stereoBytes(joined(caller), joined(agent));
    caller = [];
    agent = [];
    if (problem !== null) return;
    if (waiting >= WAITING_WRITES_MAX) problem = "ETIMEDOUT";
    const at = WAV_HEADER_BYTES + bytes;
    bytes += sound.length;
    waiting++;
    written = written.then(attempt(() => handle!.write(sound, 0, sound.length, at))).finally(() => {
      waiting--;
    });
  }

  return {
    add(callerFrame, agentFrame) {
      caller.push(callerFrame);
      agent.push(agentFrame);
      if (caller.length === FRAMES_PER_WRITE) flush();
    },

    async finish() {
      flush();
      await written;
      await attempt(async () => {
        await handle!.write(wavHeader(CALL_RATE, CHANNELS, bytes), 0, WAV_HEADER_BYTES, 0);
      })();
      await handle?.close().catch(() => {});
      return problem;
    },
  };
}

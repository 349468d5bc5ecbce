import { Flags } from "@oclif/core";
import type { Recording } from "@svc/contract";
import { Refusal } from "../refusal.ts";
import { clock } from "../terminal/times.ts";
import { type SoundWishes, useSound } from "./sound.ts";

type RecordingSource = {
  summary: () => Promise<{ recording: Recording | null }>;
  audio: () => Promise<ReadableStream<Uint8Array>>;
};

export const recordingFlags = () => ({
  play: Flags.boolean({ description: "Play the recording, the caller left and the agent right." }),
  save: Flags.string({ description: "Write the recording to this new WAV file.", helpValue: "<file>" }),
});

/** Throws when the conversation has no recording. */
export const useRecording = (wishes: SoundWishes, source: RecordingSource, note: (text: string) => void) =>
  useSound(
    wishes,
    async () => {
      const { durationMs } = await keptRecording(source);
      return { name: `the recording of ${clock(durationMs!)}`, open: source.audio };
    },
    note,
  );

async function keptRecording({ summary }: RecordingSource): Promise<Recording> {
  const { recording } = await summary();
  if (recording === null) {
    throw new Refusal("no_recording", "This conversation has no recording. The service records calls with sound.");
  }
  if (recording.state === "not_kept") throw new Refusal("no_recording", recording.message!);
  return recording;
}

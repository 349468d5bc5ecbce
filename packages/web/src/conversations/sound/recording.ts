import type { Recording, Trace } from "@svc/contract";
import type { Sound } from "./use-player.ts";

/** A conversation's recording, and its address for a media element. */
export type PlayableRecording = { recording: Recording; address: string };

/** Returns the sound of a kept recording on the conversation's clock; undefined when nothing can be played. */
export function soundOf(
  playable: PlayableRecording | null | undefined,
  { startedAt }: Pick<Trace, "startedAt">,
): Sound | undefined {
  if (!playable || playable.recording.state !== "kept") return undefined;
  const { startedAt: recordedFrom, durationMs } = playable.recording;
  const offsetMs = recordedFrom === null ? 0 : Date.parse(recordedFrom) - Date.parse(startedAt);
  return { address: playable.address, offsetMs, durationMs: durationMs! };
}

import type { Recording, Trace } from "@svc/contract";
import { audioAddress } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePlace } from "../../frame/place.ts";
import type { Sound } from "./use-player.ts";

/** A conversation's recording, and its address for a media element. */
type PlayableRecording = { recording: Recording; address: string };

/** Returns the recording of the conversation that contains the trace; null when nobody tried to record it. */
export function useRecording(traceId: string): PlayableRecording | null {
  const { client, organizationId, projectId } = usePlace();
  const { data: recording } = useQuery({
    queryKey: [organizationId, projectId, "recordings.ofConversation", traceId],
    queryFn: async ({ signal }) =>
      (await client.recordings.ofConversation({ traceId, projectId }, { signal })).recording,
    staleTime: 30_000,
  });
  return useMemo(() => {
    if (!recording) return null;
    const input = { traceId, organizationId, projectId };
    return { recording, address: audioAddress(location.origin, "recordings.audioOfConversation", input) };
  }, [recording, organizationId, projectId, traceId]);
}

/** Returns the sound of a kept recording on the conversation's clock; undefined when nothing can be played. */
export function soundOf(
  playable: PlayableRecording | null,
  { startedAt }: Pick<Trace, "startedAt">,
): Sound | undefined {
  if (!playable || playable.recording.state !== "kept") return undefined;
  const { startedAt: recordedFrom, durationMs } = playable.recording;
  const offsetMs = recordedFrom === null ? 0 : Date.parse(recordedFrom) - Date.parse(startedAt);
  return { address: playable.address, offsetMs, durationMs: durationMs! };
}

import { audioAddress } from "@svc/sdk";
import type { Recording } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Place } from "../queries.ts";
import type { PlayableRecording } from "./recording.ts";

/** The recording of a conversation that contains the trace; null when nobody tried to record it. */
export const recordingQuery = (place: Place, traceId: string) =>
  queryOptions({
    queryKey: [place.organizationId, place.projectId, "recordings.ofConversation", traceId],
    queryFn: async ({ signal }) =>
      (await place.client.recordings.ofConversation({ traceId, projectId: place.projectId }, { signal })).recording,
    staleTime: 30_000,
  });

/** Returns the recording of a conversation with its address for a media element; null without a recording. */
export function usePlayable(
  recording: Recording | null | undefined,
  { organizationId, projectId }: Place,
  traceId: string,
): PlayableRecording | null {
  return useMemo(() => {
    if (!recording) return null;
    const input = { traceId, organizationId, projectId };
    return { recording, address: audioAddress(location.origin, "recordings.audioOfConversation", input) };
  }, [recording, organizationId, projectId, traceId]);
}

import { rm } from "node:fs/promises";
import { LIMITS } from "@svc/contract";
import type { Log } from "../../base/log/log.ts";
import { download, OutboundFailure, type PrivateAddresses } from "../../base/net/outbound.ts";
import type { Recordings } from "../../voice/recordings/open.ts";

const TIMEOUT_MS = 60_000;

type PlatformRecording = { project: { id: string; number: number }; traceId: string; callId: string; url: string };

type Parts = {
  recordings: Pick<Recordings, "newFile" | "keepImported" | "isWanted" | "texts">;
  isDeleted: (project: number, names: { traceIds: readonly string[]; names: readonly string[] }) => boolean;
  log: Log;
  privateAddresses: PrivateAddresses;
};

/** Fetches and stores the recording of a call. Throws only when the signal aborts. */
export type FetchRecording = (recording: PlatformRecording, signal: AbortSignal) => Promise<void>;

export function createFetchRecording({ recordings, isDeleted, log, privateAddresses }: Parts): FetchRecording {
  async function problemWith(url: string, file: string, signal: AbortSignal) {
    try {
      const request = { method: "GET", url: new URL(url), headers: { accept: "audio/wav, */*" } } as const;
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: LIMITS.fetchedRecordingBytes, privateAddresses, signal };
      const status = await download({ ...request, ...limits }, file);
      return status === 200 ? {} : ({ problem: "not_fetched" } as const);
    } catch (error) {
      if (signal.aborted) {
        await rm(file, { force: true });
        throw signal.reason;
      }
      if (error instanceof OutboundFailure) {
        log.warn({ reason: error.message }, "a recording could not be fetched");
        return { problem: error.fault === "too_large" ? "too_large" : "not_fetched" } as const;
      }
      const { code } = error as NodeJS.ErrnoException;
      return code === "ERR_INVALID_URL" ? ({ problem: "not_fetched" } as const) : { writeError: code ?? "unknown" };
    }
  }

  return async ({ project, traceId, callId, url }, signal) => {
    const wasDeleted = () => isDeleted(project.number, { traceIds: [traceId], names: [callId] });
    if (wasDeleted() || !(await recordings.isWanted(project.id, traceId))) return;
    const file = recordings.newFile();
    const found = await problemWith(url, file, signal);
    await recordings.keepImported({ projectId: project.id, traceId, file, ...found });
    // When the conversation was deleted during the download, that deletion found no recording to erase.
    if (wasDeleted()) await recordings.texts.eraseConversations(project.id, [traceId]);
  };
}

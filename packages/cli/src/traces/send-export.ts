import { setTimeout as pause } from "node:timers/promises";
import type { ProgressLine } from "../terminal/progress.ts";
import { isSvcError } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import type { RecordedExport } from "./export-file.ts";

type IngestResult = { rejectedSpans: number; reason: string };

const TRIES = 4;
const LONGEST_WAIT_SECONDS = 60;

/** Retries while the service is busy, which is safe because the service stores a repeated span once. */
export async function sendExport(
  { client }: Session,
  { body, contentType, gzip = false }: RecordedExport,
  progress: ProgressLine,
): Promise<IngestResult> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { partialSuccess } = await client.traces.ingest({ body, contentType, gzip });
      return {
        rejectedSpans: Number(partialSuccess?.rejectedSpans ?? 0),
        reason: partialSuccess?.errorMessage ?? "",
      };
    } catch (error) {
      const seconds = tries < TRIES ? retrySeconds(error, tries) : undefined;
      if (seconds === undefined) throw error;
      progress.now(`The service is busy. Trying again in ${seconds} s…`);
      await pause(seconds * 1000);
    }
  }
}

function retrySeconds(error: unknown, tries: number): number | undefined {
  if (!isSvcError(error) || (error.code !== "too_many_requests" && error.code !== "unavailable")) return undefined;
  return Math.min(error.retryAfterSeconds || 2 ** tries, LONGEST_WAIT_SECONDS);
}

const BODY_CODES = new Set(["invalid_request", "unprocessable", "payload_too_large", "unsupported_media_type"]);

/** After an error about this request body, the service may still accept other request bodies. */
export const isAboutBody = (error: unknown): error is Error => isSvcError(error) && BODY_CODES.has(error.code);

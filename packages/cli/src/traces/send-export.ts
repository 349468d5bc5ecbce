import { setTimeout as pause } from "node:timers/promises";
import type { AnyCall } from "../command.ts";
import { isSvcError } from "../refusal.ts";
import type { Export } from "./export-file.ts";

export type Sent = { rejectedSpans: number; reason: string };

const TRIES = 4;
const LONGEST_WAIT_SECONDS = 60;

/** Opens a sender for one call. What is sent twice is stored once, so a busy service is asked again. */
export async function openSender({ connect, progress }: Pick<AnyCall, "connect" | "progress">) {
  const { client } = await connect({ key: "project" });

  return async ({ body, contentType, gzip = false }: Export): Promise<Sent> => {
    for (let tried = 1; ; tried += 1) {
      try {
        const { partialSuccess } = await client.traces.ingest({ body, contentType, gzip });
        return {
          rejectedSpans: Number(partialSuccess?.rejectedSpans ?? 0),
          reason: partialSuccess?.errorMessage ?? "",
        };
      } catch (error) {
        const seconds = tried < TRIES ? waitSeconds(error, tried) : undefined;
        if (seconds === undefined) throw error;
        progress.now(`The service is busy; trying again in ${seconds} s…`);
        await pause(seconds * 1000);
      }
    }
  };
}

/** Undefined when another try would not help. */
function waitSeconds(error: unknown, tried: number): number | undefined {
  if (!isSvcError(error) || (error.code !== "too_many_requests" && error.code !== "unavailable")) return undefined;
  return Math.min(error.retryAfterSeconds || 2 ** tried, LONGEST_WAIT_SECONDS);
}

const ABOUT_BODY = new Set(["invalid_request", "unprocessable", "payload_too_large", "unsupported_media_type"]);

/** The body itself is at fault; another one may be taken. */
export const isAboutBody = (error: unknown): error is Error => isSvcError(error) && ABOUT_BODY.has(error.code);

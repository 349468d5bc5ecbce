import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";

/** Why an import did not succeed. `internal` is an error of the service, not of the call. */
export const ImportErrorKind = z
  .enum(["conversation_incomplete", "not_found", "unreadable", "too_large", "provider_unavailable", "internal"])
  .meta({ description: "Why the import did not succeed. `internal` is an error of the service." });
export type ImportErrorKind = z.output<typeof ImportErrorKind>;

/** Call whose import has not succeeded. The service retries the import with growing delays. A replay retries it immediately. */
export const ImportFailure = z
  .strictObject({
    id: id("rif"),
    provider_call_id: z.string().meta({ description: "The platform's id of the call." }),
    error_kind: ImportErrorKind,
    explanation: z.string().meta({ description: "Why the import did not succeed, as a sentence for people." }),
    attempts: count("Number of attempts, including replays."),
    status: z.literal("open"),
    last_attempt_at: timestamp(),
    next_attempt_at: timestamp().meta({
      description: "The service tries the import again at or soon after this time; later when many imports are due.",
    }),
    created_at: timestamp(),
  })
  .meta({ id: "ImportFailure" });

/**
 * Current or last scan of an agent: the service lists the agent's calls on the platform and imports the missing calls. A scan covers the
 * calls of the last 30 days right after the setup (`first`), new calls (`poll`), calls that ended late (`late`), or once a day the calls of
 * the last 30 days again (`reconciliation`).
 */
export const Scan = z
  .strictObject({
    kind: z.enum(["first", "poll", "late", "reconciliation"]),
    from: timestamp().meta({ description: "The scan covers calls that started at or after this time." }),
    to: timestamp().meta({
      description: "The scan covers calls that started before this time, which is fixed when the scan starts.",
    }),
    reached: timestamp().meta({
      description:
        "The scan has processed the calls that started before this time. At the end of the scan, this time equals `to`.",
    }),
    pages: count("Number of processed pages of the platform's list of calls."),
    imported: count("Number of conversations that the scan stored."),
  })
  .meta({ id: "MonitoringScan" });

/** Progress of an agent's imports. */
export const ImportState = z.enum(["importing", "active", "degraded"]).meta({
  description:
    "`importing` until the calls of the 30 days before the setup are imported. Then `active`, or `degraded` while import failures are open.",
});

/** `platform_a` agent whose production calls the service imports. */
export const MonitoredAgent = z
  .strictObject({
    id: id("mag"),
    platform_agent_id: z.string(),
    platform_agent_name: z
      .string()
      .meta({ description: "The platform's name of the agent at the time when the setup was saved." }),
    state: ImportState,
    scan: Scan.nullable().meta({ description: "Null before the first scan." }),
    imported: count(
      "Number of calls of this agent that the project has imported, including the imports of earlier setups.",
    ),
    last_success_at: timestamp().nullable().meta({ description: "When a scan last finished." }),
    last_conversation_at: timestamp().nullable().meta({ description: "Start of the newest imported call." }),
    open_failures: count("Number of open import failures."),
    failures: z
      .array(ImportFailure)
      .max(LIMITS.failuresShown)
      .meta({ description: `Open import failures, oldest first, at most ${LIMITS.failuresShown}.` }),
  })
  .meta({ id: "MonitoredAgent" });

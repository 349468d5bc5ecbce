import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { project } from "../core/selection.ts";
import { textUpTo, VISIBLE_ASCII } from "../core/texts.ts";

/** Why a call could not be imported. `internal` is a fault of the service and says nothing about the call. */
export const ImportErrorKind = z
  .enum(["conversation_incomplete", "not_found", "unreadable", "too_large", "provider_unavailable", "internal"])
  .meta({ description: "Why the call could not be imported; `internal` is a fault of the service." });
export type ImportErrorKind = z.output<typeof ImportErrorKind>;

/** An open failure to import one call. It is tried again by itself, ever more rarely, and on replay. */
export const ImportFailure = z
  .strictObject({
    id: id("rif"),
    provider_call_id: z.string().meta({ description: "The platform's id of the call." }),
    error_kind: ImportErrorKind,
    attempts: count("How often the call was read, replays included."),
    status: z.literal("open"),
    last_attempt_at: timestamp(),
    created_at: timestamp(),
  })
  .meta({ id: "ImportFailure" });

/** What is being listed, or was last: the first 30 days, new calls, calls that ended late, or the daily reconciliation. */
export const Scan = z
  .strictObject({
    kind: z.enum(["first", "poll", "late", "reconciliation"]),
    from: timestamp().meta({ description: "Calls that started from here on …" }),
    to: timestamp().meta({ description: "… until here, fixed when the scan began." }),
    reached: timestamp().meta({ description: "Calls that started before have been looked at; `to` at the end." }),
    pages: count("Pages of the platform's list that are done."),
    imported: count("Conversations that the scan wrote."),
  })
  .meta({ id: "MonitoringScan" });

/** How far the import of an agent has come. */
export const ImportState = z.enum(["importing", "active", "degraded"]).meta({
  description: "`importing` until the first 30 days are in, then `active`, or `degraded` while failures are open.",
});

/** A platform_a agent whose production calls are fetched. */
export const MonitoredAgent = z
  .strictObject({
    id: id("mag"),
    platform_agent_id: z.string(),
    platform_agent_name: z.string().meta({ description: "The platform's name of the agent when it was saved." }),
    state: ImportState,
    scan: Scan.nullable().meta({ description: "Null before the first." }),
    last_success_at: timestamp().nullable().meta({ description: "When a scan last came to its end." }),
    last_conversation_at: timestamp().nullable().meta({ description: "Start of the newest imported call." }),
    open_failures: count("How many failures are open."),
    failures: z
      .array(ImportFailure)
      .max(LIMITS.failuresShown)
      .meta({ description: "Open ones, oldest first; no more than are shown at once." }),
  })
  .meta({ id: "MonitoredAgent" });

/** Whether the platform answers and takes the key. */
export const MonitoringHealth = z
  .strictObject({
    state: z.enum(["healthy", "invalid_credential", "rate_limited", "provider_unavailable"]),
    blocked_until: timestamp().nullable().meta({ description: "The platform is not asked before." }),
    consecutive_failures: count("Since the platform last answered."),
    last_error_at: timestamp().nullable(),
    last_recovered_at: timestamp().nullable(),
  })
  .meta({ id: "MonitoringHealth" });

/** How a project's production conversations come in from one platform. */
export const MonitoringSetup = z
  .strictObject({
    id: id("mns"),
    project_id: id("prj"),
    agent_platform: z.enum(["platform_a", "platform_b_agents"]),
    strategy: z.enum(["platform_a_api_polling", "platform_b_otlp"]),
    credentials_hint: z.string().nullable().meta({ description: "The key's last four characters." }),
    health: MonitoringHealth,
    last_received_at: timestamp()
      .nullable()
      .meta({ description: "When the newest production conversation came in; null while none has." }),
    agents: z
      .array(MonitoredAgent)
      .meta({ description: "Empty for platform_b_agents, where workers send by themselves." }),
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .meta({ id: "MonitoringSetup" });
export type MonitoringSetup = z.output<typeof MonitoringSetup>;

/** A voice agent that may be chosen. */
export const AgentChoice = z
  .strictObject({ id: z.string(), name: z.string().meta({ description: "The id when the agent has no name." }) })
  .meta({ id: "AgentChoice" });

const apiKey = z
  .string()
  .trim()
  .min(LIMITS.platformKeyCharactersMin)
  .max(LIMITS.platformKeyCharactersMax)
  .regex(VISIBLE_ASCII, "A key has visible ASCII characters only, without spaces.")
  .meta({ description: "The platform's API key." });

const chosen = z.strictObject({
  id: textUpTo(LIMITS.platformIdCharacters).meta({ description: "The platform's id of the agent." }),
  name: z
    .string()
    .max(LIMITS.nameCharacters)
    .optional()
    .meta({ description: "Ignored: the platform's current name is stored." }),
});

const query = z.strictObject({ project });
const answer = z.strictObject({ setup: MonitoringSetup });
const tag = "Monitoring";

/** How production conversations come in. */
export const monitoring = {
  /** Lists the project's setups: none, one or two. */
  list: operation({
    method: "GET",
    path: "/api/monitoring",
    summary: "List monitoring setups",
    tag,
    ...readsProject,
    query,
    status: 200,
    answer: z.strictObject({ setups: z.array(MonitoringSetup) }),
  }),

  /** Checks a platform_a key, saves nothing, and lists the voice agents that it reads, by name. */
  discover: operation({
    method: "POST",
    path: "/api/monitoring/platform_a/discover",
    summary: "List the voice agents that a platform_a key reads",
    description: "The key is checked and not saved. It needs the permission to read agents.",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({ api_key: apiKey, project }),
    status: 200,
    answer: z.strictObject({ agents: z.array(AgentChoice) }),
    errors: ["provider_unavailable"],
  }),

  /**
   * Makes or replaces the project's platform_a setup. Every agent and the key's right to read call history are verified
   * with the platform first. Agents that stay keep their progress; dropped ones are no longer asked for, and their open
   * failures are there again when they are chosen again.
   */
  savePlatformA: operation({
    method: "PUT",
    path: "/api/monitoring/platform_a",
    summary: "Import production calls of platform_a agents",
    description:
      "Verifies the key and every agent with the platform. The key needs the permissions to read agents and call history; it is sealed and never returned. Agents that stay keep their progress.",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({ api_key: apiKey, agents: z.array(chosen).min(1).max(LIMITS.monitoredAgents), project }),
    status: 200,
    answer,
    errors: ["provider_unavailable"],
  }),

  /** Makes the project's platform_b setup record, or answers the one there is; it configures no worker. */
  savePlatformB: operation({
    method: "PUT",
    path: "/api/monitoring/platform_b-agents",
    summary: "Watch for conversations of platform_b workers",
    description: "Makes the record only: a worker sends once it calls `monitor_platform_b`.",
    tag,
    ...writesProject,
    query,
    status: 200,
    answer,
  }),

  /**
   * Imports the call of an open failure again, however old the call is. `written` goes to the one import that wrote the
   * conversation, `already` to every other; a resolved failure answers `already` without asking the platform.
   */
  replay: operation({
    method: "POST",
    path: "/api/monitoring/platform_a/failures/{failureId}/replay",
    summary: "Import the call of a failure again",
    description:
      "Reads exactly this call, also outside the 30 days of the list. A conversation is never written twice. 422 when the platform rejects the stored key.",
    tag,
    ...writesProject,
    params: z.strictObject({ failureId: idInput("rif") }),
    query,
    status: 200,
    answer: z.strictObject({
      failure: z.strictObject({ id: id("rif"), status: z.literal("resolved") }),
      trace: z.strictObject({
        id: z
          .string()
          .regex(/^[0-9a-f]{32}$/)
          .meta({ description: "Id of the conversation's trace, 32 hexadecimal digits." }),
        write: z.enum(["written", "already"]),
      }),
    }),
    errors: ["replay_in_progress", "conversation_incomplete", "unprocessable", "provider_unavailable"],
  }),

  /** Removes a setup with its key and failures; stored conversations stay, and a platform_b worker goes on sending. */
  remove: operation({
    method: "DELETE",
    path: "/api/monitoring/{platform}",
    summary: "Stop monitoring a platform",
    description: "Stored conversations stay. A deployed platform_b worker goes on sending.",
    tag,
    ...writesProject,
    params: z.strictObject({
      platform: z.string().min(1).meta({ description: "`platform_a` or `platform_b-agents`." }),
    }),
    query,
    status: 204,
  }),
};

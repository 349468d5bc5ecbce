import { z } from "zod";
import { writesProject } from "../core/access.ts";
import { id, idInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { deleteOperation, getOperation } from "../core/resource-operations.ts";
import { project } from "../core/selection.ts";
import { textUpTo, VISIBLE_ASCII } from "../core/texts.ts";
import { AgentChoice, MonitoringSetup } from "./setup.ts";

const apiKey = z
  .string()
  .trim()
  .min(LIMITS.platformKeyCharactersMin)
  .max(LIMITS.platformKeyCharactersMax)
  .regex(VISIBLE_ASCII, "Use only visible ASCII characters, without spaces.")
  .meta({ description: "The platform's API key." });

const selectedAgent = z.strictObject({
  id: textUpTo(LIMITS.platformIdCharacters).meta({ description: "The platform's id of the agent." }),
  name: z
    .string()
    .max(LIMITS.nameCharacters)
    .optional()
    .meta({ description: "Ignored. The service stores the platform's current name." }),
});

const common = { tag: "Monitoring", query: z.strictObject({ project }) } as const;
const change = { ...common, ...writesProject, status: 200 } as const;
const answer = z.strictObject({ setup: MonitoringSetup });

/** Monitoring setups of a project, by which the service receives or imports production conversations. */
export const monitoring = {
  /** Lists the project's setups, at most one per platform. */
  list: getOperation({
    ...common,
    path: "/api/monitoring",
    summary: "List monitoring setups",
    answer: z.strictObject({ setups: z.array(MonitoringSetup) }),
  }),

  /** Checks a `platform_a` key without storing it. Returns the voice agents that the key can read, sorted by name. */
  discover: operation({
    ...change,
    method: "POST",
    path: "/api/monitoring/platform_a/discover",
    audit: { leftOut: "It stores nothing." },
    summary: "List the voice agents of a Retell key",
    description: "The service checks the key and does not store it. The key needs permission to read agents.",
    body: z.strictObject({ api_key: apiKey, project }),
    answer: z.strictObject({ agents: z.array(AgentChoice) }),
    errors: ["provider_unavailable"],
  }),

  /**
   * Creates or replaces the project's `platform_a` setup. First the service checks with the platform that every agent exists and
   * that the key can read the call history.
   *
   * The imports of agents that are also in the former setup continue. The service stops the imports of agents that the new setup
   * lacks. The open import failures of such an agent appear again when a later setup includes the agent.
   */
  savePlatformA: operation({
    ...change,
    method: "PUT",
    path: "/api/monitoring/platform_a",
    summary: "Import production calls of Retell agents",
    description:
      "The service verifies the key and every agent with the platform. The key needs permission to read agents and call history. The service encrypts the key and never returns it. The imports of agents that are also in the former setup continue.",
    body: z.strictObject({
      api_key: apiKey,
      agents: z.array(selectedAgent).min(1).max(LIMITS.monitoredAgents),
      fetch_recordings: z.boolean().optional().meta({
        description:
          "Whether the service fetches the recording of each call at its import, so that it can be played and stays after the platform deletes it. When this member is missing, the setting does not change; a new setup fetches no recordings.",
      }),
      project,
    }),
    answer,
    errors: ["provider_unavailable"],
  }),

  /** Creates the project's `platform_b_agents` setup, or returns the existing setup. Does not configure a worker. */
  savePlatformB: operation({
    ...change,
    method: "PUT",
    path: "/api/monitoring/platform_b-agents",
    summary: "Watch for conversations of LiveKit Agents workers",
    description: "Creates only the setup. A worker sends conversations once it calls `monitor_platform_b`.",
    answer,
  }),

  /**
   * Imports the call of an open import failure, regardless of the call's age. `write` is `written` when this request stored the
   * conversation, and `already` when an earlier import stored it. A resolved failure returns `already` without a request to the
   * platform.
   */
  replay: operation({
    ...change,
    method: "POST",
    path: "/api/monitoring/platform_a/failures/{failureId}/replay",
    summary: "Replay an import failure",
    description:
      "Imports the call of this failure, even when the call is older than 30 days. The service never stores a conversation twice. Answers 422 when the platform rejects the stored key.",
    params: z.strictObject({ failureId: idInput("rif") }),
    answer: z.strictObject({
      failure: z.strictObject({ id: id("rif"), status: z.literal("resolved") }),
      trace: z.strictObject({
        id: z
          .string()
          .regex(/^[0-9a-f]{32}$/)
          .meta({ description: "Trace id of the conversation, 32 hexadecimal digits." }),
        write: z.enum(["written", "already"]),
      }),
    }),
    errors: ["replay_in_progress", "conversation_incomplete", "unprocessable", "provider_unavailable"],
  }),

  /**
   * Deletes a setup with its key and its import failures. Stored conversations stay. LiveKit Agents workers that are deployed
   * continue to send conversations.
   */
  remove: deleteOperation({
    ...common,
    path: "/api/monitoring/{platform}",
    summary: "Stop monitoring a platform",
    description: "Stored conversations stay. A deployed LiveKit Agents worker continues to send conversations.",
    params: z.strictObject({
      platform: z.string().min(1).meta({ description: "`platform_a` or `platform_b-agents`." }),
    }),
  }),
};

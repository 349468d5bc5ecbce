import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count, expectedRevision, revision } from "../core/numbers.ts";
import {
  archiveOperation,
  createOperation,
  editOperation,
  getOperation,
  listOperation,
  restoreOperation,
} from "../core/resource-operations.ts";
import { archived, projectId } from "../core/selection.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { AgentConnection, NewConnection } from "./connections.ts";
import { AGENT_PLATFORMS, MODALITIES } from "./platforms.ts";

/** Voice agent that the project tests or monitors. Unknown values are null. */
export const Agent = z
  .strictObject({
    id: id("agt"),
    projectId: id("prj"),
    name: z.string(),
    agentPlatform: z.enum(AGENT_PLATFORMS),
    platformAgentId: z
      .string()
      .nullable()
      .meta({ description: "Id of the agent on its platform; null when it was registered without one." }),
    platformAModality: z
      .enum(MODALITIES)
      .nullable()
      .meta({ description: "Modality of a `platform_a` agent; null when unknown and for other platforms." }),
    monitoringKeyPresent: z
      .boolean()
      .meta({ description: "Whether the service stores a platform key to import this agent's calls." }),
    monitoringApiKeyHint: z
      .string()
      .nullable()
      .meta({ description: "Last four characters of the platform key for imports; null without a key." }),
    pullProductionCalls: z
      .boolean()
      .meta({ description: "Whether the service imports this agent's production calls." }),
    monitoringConfigured: z
      .boolean()
      .meta({ description: "Whether the project's monitoring setup includes this agent." }),
    lastReceivedAt: timestamp()
      .nullable()
      .meta({ description: "When the last production conversation arrived; null before the first." }),
    archived: z.boolean(),
    archivedAt: timestamp().nullable().meta({ description: "Null while the agent is live." }),
    revision,
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Agent" });
export type Agent = z.infer<typeof Agent>;

const name = nameText().meta({ description: "Unique among the project's live agents." });
const all = {
  tag: "Agents and connections",
  path: "/v1/agents",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ agent: Agent }),
} as const;
const one = {
  ...all,
  path: "/v1/agents/{agentId}",
  resource: "agent",
  params: z.strictObject({ agentId: idInput("agt") }),
} as const;

/** The project's agents. */
export const agents = {
  /** Lists live or archived agents, newest first. */
  list: listOperation({
    ...all,
    summary: "List agents",
    items: { agents: Agent },
    filters: {
      search: textUpTo(LIMITS.searchCharacters)
        .optional()
        .meta({ description: "Text to find in the name or the platform's id, ignoring case." }),
      archived,
    },
  }),

  /**
   * Registers an agent, with its first connection if the body contains one.
   *
   * A project has at most one agent with the same `agentPlatform` and `platformAgentId`. A second registration returns the existing
   * agent under its existing name, with 200 and the result `reused`. It also reuses an existing connection to the same target, and
   * replaces the credential of that connection by the given credential. Answers 409 `conflict` when the existing agent is archived;
   * `details.agentId` is the agent to restore.
   */
  register: createOperation({
    ...all,
    summary: "Register an agent",
    description:
      "A project has at most one agent with the same `agentPlatform` and `platformAgentId`. A second registration returns the existing agent with 200 and the result `reused`, and reuses a connection to the same target.",
    body: z.strictObject({
      name,
      agentPlatform: z
        .enum(AGENT_PLATFORMS)
        .optional()
        .meta({ description: "Default: the platform of the connection's type, or `custom`." }),
      platformAgentId: textUpTo(LIMITS.nameCharacters)
        .optional()
        .meta({ description: "Id of the agent on its platform." }),
      connection: NewConnection.optional(),
    }),
    alsoStatus: { 200: "The project already has this agent. The answer contains the existing agent." },
    answer: z.strictObject({
      result: z.enum(["created", "reused"]),
      agent: Agent,
      connection: AgentConnection.optional(),
    }),
    errors: ["name_taken", "conflict"],
  }),

  /** Returns an agent, live or archived. */
  get: getOperation({ ...one, summary: "Show an agent" }),

  /**
   * Renames an agent. Answers 409 `conflict` when the agent is archived. Answers 409 `version_conflict` when `expectedRevision` is
   * not the current revision; `details` then contains `expectedRevision`, `currentRevision` and the `current` agent.
   */
  edit: editOperation({
    ...one,
    summary: "Rename an agent",
    body: z.strictObject({ name, expectedRevision }),
    errors: ["name_taken", "version_conflict", "conflict"],
  }),

  /**
   * Archives an agent and its live connections, and cancels its active runs. `archivedConnections` lists the connections that
   * this call archived. An agent that is already archived does not change, but its active runs are still canceled.
   */
  archive: archiveOperation({
    ...one,
    summary: "Archive an agent and its connections",
    answer: z.strictObject({
      agent: Agent,
      archivedConnections: z.array(AgentConnection),
      canceledRunCount: count(),
    }),
  }),

  /**
   * Restores an archived agent. Its connections stay archived. Returns a live agent unchanged. Answers 409 `name_taken` when
   * another live agent has the name; a new `name` in the body avoids this.
   */
  restore: restoreOperation({
    ...one,
    summary: "Restore an agent",
    description: "The agent's connections stay archived. Restore each connection that you need.",
    body: z.strictObject({ name: name.optional() }),
    errors: ["name_taken"],
  }),
};

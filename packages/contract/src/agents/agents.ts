import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { AGENT_PLATFORMS, MODALITIES } from "./connection-options.ts";
import { AgentConnection, NewConnection } from "./connections.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { archived, projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

/** An agent under test or monitoring. What is not known is null. */
export const Agent = z
  .strictObject({
    id: id("agt"),
    projectId: id("prj"),
    name: z.string(),
    agentPlatform: z.enum(AGENT_PLATFORMS),
    platformAgentId: z
      .string()
      .nullable()
      .meta({ description: "Its id on its platform; null when it was registered without one." }),
    platformAModality: z
      .enum(MODALITIES)
      .nullable()
      .meta({ description: "What a `platform_a` agent speaks; null when not known, and for other platforms." }),
    monitoringKeyPresent: z.boolean().meta({ description: "A key of its platform is kept to fetch its calls." }),
    monitoringApiKeyHint: z
      .string()
      .nullable()
      .meta({ description: "Last four characters of that key; null when there is none." }),
    pullProductionCalls: z.boolean().meta({ description: "The service fetches its production calls." }),
    monitoringConfigured: z.boolean().meta({ description: "It was chosen in the project's monitoring setup." }),
    lastReceivedAt: timestamp()
      .nullable()
      .meta({ description: "When its last production conversation came in; null before the first." }),
    archived: z.boolean(),
    archivedAt: timestamp().nullable().meta({ description: "Null while it is live." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Agent" });
export type Agent = z.infer<typeof Agent>;

const name = textUpTo(LIMITS.nameCharacters).meta({ description: "Unique among the project's live agents." });
const params = z.strictObject({ agentId: idInput("agt") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ agent: Agent });
const tag = "Agents and connections";

/** The project's agents. */
export const agents = {
  /** Lists agents, newest first: the live ones unless the archived ones are asked for. */
  list: operation({
    method: "GET",
    path: "/v1/agents",
    summary: "List agents",
    tag,
    ...readsProject,
    query: z.strictObject({
      projectId,
      search: textUpTo(LIMITS.searchCharacters)
        .optional()
        .meta({ description: "Text in the name or the platform's id, in either case." }),
      archived,
      ...pageQuery,
    }),
    status: 200,
    answer: z.strictObject({ agents: z.array(Agent), nextPageToken }),
  }),

  /**
   * Registers an agent, with a first connection when one is given. The same platform agent (`agentPlatform` and
   * `platformAgentId`) is registered once in a project: again, it is answered with 200 and `reused`, under the name that
   * it has; a connection to the same place is then reused too and takes the credential that was sent. An archived one is
   * refused with 409 `conflict`, whose `details.agentId` names what to restore.
   */
  register: operation({
    method: "POST",
    path: "/v1/agents",
    summary: "Register an agent",
    description:
      "The same platform agent is registered once in a project: again, it is answered with 200 and `reused`, and so is a connection to the same place.",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({
      name,
      agentPlatform: z
        .enum(AGENT_PLATFORMS)
        .optional()
        .meta({ description: "Default: the platform of the connection's type, else `custom`." }),
      platformAgentId: textUpTo(LIMITS.nameCharacters).optional().meta({ description: "Its id on its platform." }),
      connection: NewConnection.optional(),
    }),
    status: 201,
    alsoStatus: { 200: "The platform agent was registered before and is answered as it is." },
    answer: z.strictObject({
      result: z.enum(["created", "reused"]),
      agent: Agent,
      connection: AgentConnection.optional(),
    }),
    errors: ["name_taken", "conflict"],
  }),

  /** Answers an agent, archived or not. */
  get: operation({
    method: "GET",
    path: "/v1/agents/{agentId}",
    summary: "Show an agent",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /** Renames an agent; an archived one is refused with 409 `conflict`. */
  edit: operation({
    method: "PATCH",
    path: "/v1/agents/{agentId}",
    summary: "Rename an agent",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({ name }),
    status: 200,
    answer,
    errors: ["name_taken", "conflict"],
  }),

  /**
   * Archives an agent with its live connections and cancels its runs. `archivedConnections` are those that this call
   * archived; an agent that is archived already is answered unchanged, and runs that still go on are canceled.
   */
  archive: operation({
    method: "POST",
    path: "/v1/agents/{agentId}/archive",
    summary: "Archive an agent and its connections",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer: z.strictObject({
      agent: Agent,
      archivedConnections: z.array(AgentConnection),
      canceledRunCount: count(),
    }),
  }),

  /**
   * Restores an agent and leaves its connections archived. A live one is answered unchanged; when another live agent
   * took its name it is refused with 409 `name_taken`, and a `name` sent with it gives it another.
   */
  restore: operation({
    method: "POST",
    path: "/v1/agents/{agentId}/restore",
    summary: "Restore an agent",
    description: "Its connections stay archived; restore each that is wanted.",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({ name: name.optional() }),
    status: 200,
    answer,
    errors: ["name_taken"],
  }),
};

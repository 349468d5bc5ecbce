import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { ACCESS_VARIANTS, AGENT_PLATFORMS, CONNECTION_TYPES, MODALITIES, TOPOLOGIES } from "./connection-options.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { archived, projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

/** One way to reach an agent. Its credential is sealed and never answered; the hint is its last four characters. */
export const AgentConnection = z
  .strictObject({
    id: id("con"),
    agentId: id("agt"),
    projectId: id("prj"),
    name: z.string(),
    agentPlatform: z.enum(AGENT_PLATFORMS).meta({ description: "The platform of the type, else the agent's." }),
    connectionType: z.enum(CONNECTION_TYPES),
    accessVariant: z.enum(ACCESS_VARIANTS),
    modality: z.enum(MODALITIES),
    productLabel: z.string().meta({ description: "Name of the type, for people." }),
    topology: z.enum(TOPOLOGIES),
    environment: z.string(),
    config: z.record(z.string(), z.unknown()).meta({ description: "By the fields of `GET /v1/connection-options`." }),
    credentialPresent: z.boolean(),
    credentialsHint: z
      .string()
      .nullable()
      .meta({ description: "Last four characters of the credential; null when there is none." }),
    archived: z.boolean(),
    archivedAt: timestamp().nullable().meta({ description: "Null while it is live." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "AgentConnection" });
export type AgentConnection = z.infer<typeof AgentConnection>;

const name = textUpTo(LIMITS.nameCharacters);
const environment = textUpTo(LIMITS.environmentCharacters).meta({
  description: "Any name, such as `production` or `staging`.",
});
/** An object as it was sent, every member included: a record would drop a `__proto__` that is to be refused. */
const asSent = (description: string) =>
  z
    .unknown()
    .superRefine((value, context) => {
      if (value !== null && typeof value === "object" && !Array.isArray(value)) return;
      context.addIssue({ code: "invalid_type", expected: "object", message: "Expected an object." });
    })
    .meta({ description, override: { type: "object", additionalProperties: {} } }) as z.ZodType<
    Record<string, unknown>,
    Record<string, unknown>
  >;
const config = asSent("By the fields of the access variant; replaced as a whole. At most 15 KiB of JSON.");
const credential = asSent("By the fields of the access variant; replaced as a whole, sealed and never answered.");

/** What a new connection is made of; the first access variant and modality of its type are the defaults. */
export const NewConnection = z
  .strictObject({
    connectionType: z.enum(CONNECTION_TYPES),
    accessVariant: z.enum(ACCESS_VARIANTS).optional().meta({ description: "Default: the first of the type." }),
    modality: z.enum(MODALITIES).optional().meta({ description: "Default: the first of the type." }),
    name: name.optional().meta({ description: "Default: the type's name for people." }),
    environment: environment.default("production"),
    config,
    credential: credential.optional(),
  })
  .meta({ id: "NewConnection" });

const ofAgent = z.strictObject({ agentId: idInput("agt") });
const params = z.strictObject({ agentId: idInput("agt"), connectionId: idInput("con") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ connection: AgentConnection });
const tag = "Agents and connections";

/** An agent's connections. */
export const connections = {
  /** Lists an agent's connections, newest first: the live ones unless the archived ones are asked for. */
  list: operation({
    method: "GET",
    path: "/v1/agents/{agentId}/connections",
    summary: "List an agent's connections",
    tag,
    ...readsProject,
    params: ofAgent,
    query: z.strictObject({ projectId, archived, ...pageQuery }),
    status: 200,
    answer: z.strictObject({ connections: z.array(AgentConnection), nextPageToken }),
  }),

  /**
   * Adds a connection. A `config` or `credential` that does not fit the access variant is refused with 422 and the path
   * of the member, and so is one more than 100 live ones; an archived agent takes none (409 `parent_agent_archived`).
   */
  create: operation({
    method: "POST",
    path: "/v1/agents/{agentId}/connections",
    summary: "Add a connection to an agent",
    description: "`GET /v1/connection-options` lists the types and the fields of their `config` and `credential`.",
    tag,
    ...writesProject,
    params: ofAgent,
    query,
    body: NewConnection,
    status: 201,
    answer,
    errors: ["parent_agent_archived"],
  }),

  /** Answers a connection, archived or not. */
  get: operation({
    method: "GET",
    path: "/v1/agents/{agentId}/connections/{connectionId}",
    summary: "Show a connection",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /** Changes what is given; `config` and `credential` are replaced as a whole. An archived connection is refused with 409. */
  edit: operation({
    method: "PATCH",
    path: "/v1/agents/{agentId}/connections/{connectionId}",
    summary: "Edit a connection",
    description: "Changes what is given; `config` and `credential` are each replaced as a whole.",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({
      name: name.optional(),
      environment: environment.optional(),
      config: config.optional(),
      credential: credential.optional(),
    }),
    status: 200,
    answer,
    errors: ["conflict"],
  }),

  /** Archives a connection; its sealed credential is kept for a restore. An archived one is answered unchanged. */
  archive: operation({
    method: "POST",
    path: "/v1/agents/{agentId}/connections/{connectionId}/archive",
    summary: "Archive a connection",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /**
   * Restores a connection with the credential that it had. A live one is answered unchanged; while its agent is archived
   * it is refused with 409 `parent_agent_archived`.
   */
  restore: operation({
    method: "POST",
    path: "/v1/agents/{agentId}/connections/{connectionId}/restore",
    summary: "Restore a connection",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({}),
    status: 200,
    answer,
    errors: ["parent_agent_archived"],
  }),
};

import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { expectedRevision, revision } from "../core/numbers.ts";
import {
  archiveOperation,
  createOperation,
  editOperation,
  getOperation,
  listOperation,
  restoreOperation,
} from "../core/resource-operations.ts";
import { operation } from "../core/operation.ts";
import { testsProject } from "../core/access.ts";
import { archived, projectId } from "../core/selection.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { ConnectionTry, ConnectionTryOptions } from "./connection-try.ts";
import { ACCESS_VARIANTS, CONNECTION_TYPES } from "./connection-types.ts";
import { AGENT_PLATFORMS, MODALITIES, TOPOLOGIES } from "./platforms.ts";

/** One way to reach an agent. The service stores the credential sealed and returns only its last four characters. */
export const AgentConnection = z
  .strictObject({
    id: id("con"),
    agentId: id("agt"),
    projectId: id("prj"),
    name: z.string(),
    agentPlatform: z
      .enum(AGENT_PLATFORMS)
      .meta({ description: "Platform of the connection type, or of the agent when the type reaches any platform." }),
    connectionType: z.enum(CONNECTION_TYPES),
    accessVariant: z.enum(ACCESS_VARIANTS),
    modality: z.enum(MODALITIES),
    productLabel: z.string().meta({ description: "Name of the connection type for people." }),
    topology: z.enum(TOPOLOGIES),
    environment: z.string(),
    config: z
      .record(z.string(), z.unknown())
      .meta({ description: "Settings, by the field names in `GET /v1/connection-options`." }),
    credentialPresent: z.boolean(),
    credentialsHint: z
      .string()
      .nullable()
      .meta({ description: "Last four characters of the credential; null without a credential." }),
    archived: z.boolean(),
    archivedAt: timestamp().nullable().meta({ description: "Null while the connection is live." }),
    revision,
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "AgentConnection" });
export type AgentConnection = z.infer<typeof AgentConnection>;

const name = nameText().meta({ description: "Unique among the agent's live connections." });
const environment = textUpTo(LIMITS.environmentCharacters).meta({
  description: "Any name, such as `production` or `staging`.",
});
/**
 * Returns the schema of an object that keeps every member; `z.record` would drop `__proto__`, which the service must
 * refuse.
 */
const unchangedObject = (description: string) =>
  z
    .unknown()
    .superRefine((value, context) => {
      if (value !== null && typeof value === "object" && !Array.isArray(value)) return;
      context.addIssue({ code: "invalid_type", expected: "object", message: "Send an object." });
    })
    .meta({ description, override: { type: "object", additionalProperties: {} } }) as z.ZodType<
    Record<string, unknown>,
    Record<string, unknown>
  >;
const config = unchangedObject("Settings, by the fields of the access variant. At most 15 KiB of JSON.");
const credential = unchangedObject(
  "Secrets, by the fields of the access variant. The service seals them and never returns them.",
);

/** The settings of a new connection. */
export const NewConnection = z
  .strictObject({
    connectionType: z.enum(CONNECTION_TYPES),
    accessVariant: z
      .enum(ACCESS_VARIANTS)
      .optional()
      .meta({ description: "Default: the first access variant of the connection type." }),
    modality: z
      .enum(MODALITIES)
      .optional()
      .meta({ description: "Default: the first modality of the connection type." }),
    name: name.optional().meta({
      description:
        "Unique among the agent's live connections. Default: the connection type's name for people, with a number when a connection has this name.",
    }),
    environment: environment.default("production"),
    config,
    credential: credential.optional(),
  })
  .meta({ id: "NewConnection" });

const all = {
  tag: "Agents and connections",
  path: "/v1/agents/{agentId}/connections",
  resource: "agent",
  params: z.strictObject({ agentId: idInput("agt") }),
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ connection: AgentConnection }),
} as const;
const one = {
  ...all,
  path: "/v1/agents/{agentId}/connections/{connectionId}",
  resource: "agent",
  params: z.strictObject({ agentId: idInput("agt"), connectionId: idInput("con") }),
} as const;

/** An agent's connections. */
export const connections = {
  /** Lists an agent's live or archived connections, newest first. */
  list: listOperation({
    ...all,
    summary: "List an agent's connections",
    items: { connections: AgentConnection },
    filters: { archived },
  }),

  /**
   * Adds a connection to an agent. Refuses with 422 a `config` or `credential` that does not match the access variant,
   * with the path of each wrong field, and a connection of an agent that already has 100 live ones. Refuses with 409
   * `parent_agent_archived` when the agent is archived, and with 409 `name_taken` when a live connection has the name.
   */
  create: createOperation({
    ...all,
    summary: "Add a connection to an agent",
    description:
      "`GET /v1/connection-options` lists the connection types and the fields of their `config` and `credential`.",
    body: NewConnection,
    errors: ["name_taken", "parent_agent_archived"],
  }),

  /** Returns a connection, live or archived. */
  get: getOperation({ ...one, summary: "Show a connection" }),

  /**
   * Changes the given fields of a connection. `config` and `credential` each replace the whole former value. Refuses with 409
   * `conflict` when the connection is archived, with 409 `name_taken` when another live connection has the name, and with 409
   * `version_conflict` when `expectedRevision` is not current; `details` holds `expectedRevision`, `currentRevision` and the
   * `current` connection.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a connection",
    description: "Changes the given fields. `config` and `credential` each replace the whole former value.",
    body: z.strictObject({
      name: name.optional(),
      environment: environment.optional(),
      config: config.optional(),
      credential: credential.optional(),
      expectedRevision,
    }),
    errors: ["name_taken", "version_conflict", "conflict"],
  }),

  /**
   * Holds one short conversation over a connection and returns what worked, step by step. Stores nothing: neither the connection
   * nor the statistics of the agent change. A connection that does not work is an answer with the result `fails`, not a refusal.
   * Refuses with 409 `conflict` when the connection is archived, with 409 `parent_agent_archived` when its agent is, with 422 a
   * message that the caller's voice cannot speak, and with 429 more tries than `LIMITS.connectionTriesPerMinute` in a minute or
   * `LIMITS.connectionTriesAtOnce` at the same time. The answer takes up to 30 seconds.
   */
  try: operation({
    ...one,
    ...testsProject,
    method: "POST",
    path: "/v1/agents/{agentId}/connections/{connectionId}/try",
    summary: "Try a connection",
    description: `Holds one short conversation of at most ${LIMITS.connectionTrySeconds} seconds: the caller waits for a greeting, says one message and hears the answer. The project's mock tools answer the agent. Nothing is stored. A connection that does not work is an answer with the result \`fails\`. An organization has at most ${LIMITS.connectionTriesPerMinute} tries in a minute and ${LIMITS.connectionTriesAtOnce} at the same time.`,
    body: ConnectionTryOptions,
    status: 200,
    answer: ConnectionTry,
    errors: ["conflict", "parent_agent_archived"],
  }),

  /** Archives a connection and keeps its sealed credential. Returns an already archived connection unchanged. */
  archive: archiveOperation({ ...one, summary: "Archive a connection" }),

  /**
   * Restores an archived connection with its credential. Returns a live connection unchanged. Refuses with 409
   * `parent_agent_archived` while the agent is archived, and with 409 `name_taken` when a live connection has its name.
   */
  restore: restoreOperation({
    ...one,
    summary: "Restore a connection",
    body: z.strictObject({}),
    errors: ["name_taken", "parent_agent_archived"],
  }),
};

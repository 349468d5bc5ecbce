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

/** Stored way to reach an agent. The service encrypts the credential, and returns only its last four characters. */
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
 * Returns the schema of an object that drops no member. `z.record` would drop a member `__proto__`, so the service could not reject that
 * member.
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
const config = unchangedObject(
  "Settings of the connection. `GET /v1/connection-options` lists the fields of each `accessVariant`. At most 15 KiB of JSON.",
);
const credential = unchangedObject(
  "Secrets of the connection. `GET /v1/connection-options` lists the fields of each `accessVariant`. The service encrypts the secrets and never returns them.",
);

/** Settings of a new connection. */
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
   * Adds a connection to an agent.
   *
   * Answers 422 when `config` or `credential` does not match the access variant, with the path of each wrong field. Answers 422
   * when the agent already has 100 live connections. Answers 409 `parent_agent_archived` when the agent is archived, and 409
   * `name_taken` when a live connection of the agent has the name.
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
   * Changes the given fields of a connection. `config` and `credential` each replace the whole former value. A `config` whose
   * address is on another host needs the `credential` in the same request, so that nobody sends a stored secret elsewhere.
   *
   * Answers 422 when `config` or `credential` does not match the access variant, or when the credential is needed and missing.
   * Answers 409 `conflict` when the connection is archived, and 409 `name_taken` when another live connection has the name.
   * Answers 409 `version_conflict` when `expectedRevision` is not the current revision; `details` then contains
   * `expectedRevision`, `currentRevision` and the `current` connection.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a connection",
    description:
      "Changes the given fields. `config` and `credential` each replace the whole former value. A `config` whose address is on another host needs the `credential` in the same request (422), so that nobody sends a stored secret elsewhere.",
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
   * Holds one short conversation over a connection, and returns the result of each step. Stores nothing: neither the connection nor
   * the statistics of the agent change. The answer can take up to 30 seconds, and longer with further messages.
   *
   * A connection that does not work is not an error: the status is 200 and the result is `fails`. Answers 409 `conflict` when the
   * connection is archived, and 409 `parent_agent_archived` when its agent is archived. Answers 422 when the caller's voice cannot
   * speak the message. Answers 429 after `LIMITS.connectionTriesPerMinute` tries in a minute, or while
   * `LIMITS.connectionTriesAtOnce` tries are in progress. Answers 404 when `conversationId` names no open conversation over this
   * connection, and 409 `conflict` while the agent still answers an earlier message in it.
   */
  try: operation({
    ...one,
    ...testsProject,
    method: "POST",
    path: "/v1/agents/{agentId}/connections/{connectionId}/try",
    summary: "Try a connection",
    description: `Holds one short conversation: the caller waits for a greeting, says the message and hears the answer. The conversation lasts at most ${LIMITS.connectionTrySeconds} seconds, and ${LIMITS.connectionTrySecondsPerFurtherMessage} seconds more for each further message. With \`staysOpen\`, a later request can go on with the conversation, and does not count as a further try. The project's mock tools answer the agent. Nothing is stored. For a connection that does not work, the answer has status 200 and the result \`fails\`. An organization has at most ${LIMITS.connectionTriesPerMinute} tries in a minute and ${LIMITS.connectionTriesAtOnce} at the same time.`,
    body: ConnectionTryOptions,
    status: 200,
    answer: ConnectionTry,
    errors: ["conflict", "parent_agent_archived"],
  }),

  /** Archives a connection. Its encrypted credential stays stored. Returns an already archived connection unchanged. */
  archive: archiveOperation({ ...one, summary: "Archive a connection" }),

  /**
   * Restores an archived connection with its credential. Returns a live connection unchanged. Answers 409
   * `parent_agent_archived` while the agent is archived, and 409 `name_taken` when a live connection has the name.
   */
  restore: restoreOperation({
    ...one,
    summary: "Restore a connection",
    body: z.strictObject({}),
    errors: ["name_taken", "parent_agent_archived"],
  }),
};

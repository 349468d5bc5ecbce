import { isDeepStrictEqual } from "node:util";
import {
  type AgentConnection,
  type AgentPlatform,
  configSchemaOf,
  type ConnectionCredential,
  type ConnectionOption,
  connectionOption,
  credentialSchemaOf,
  LIMITS,
  type NewConnection,
  type operations,
  shownPartOf,
} from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../errors.ts";
import { messageOf } from "../../http/validate.ts";
import type { Schema } from "../../stores/schema.ts";
import type { AgentRow } from "../rules.ts";

const ISSUES_SHOWN = 20;

type SentConnection = z.output<typeof NewConnection>;
type Edit = z.output<(typeof operations.connections.edit)["body"]>;

/** A connection as it is read: with its credential's hint, which is null when it has none. */
export type ConnectionRow = Schema["connections"] & { hint: string | null };

export type Secret = { text: string; shown: string };
type Kept = Pick<
  Schema["connections"],
  "name" | "connection_type" | "access_variant" | "modality" | "environment" | "config"
>;
export type DecidedConnection = { kept: Kept; secret: Secret | undefined };
export type ConnectionChange = {
  kept: Partial<Pick<Kept, "name" | "environment" | "config">>;
  secret: Secret | undefined;
};

/** What is kept of a new connection; what does not fit its type is refused with the path of the member, below `at`. */
export function decideConnection(platform: AgentPlatform, sent: SentConnection, at = ""): DecidedConnection {
  const option = connectionOption(sent.connectionType);
  refuseOtherPlatform(platform, option, at);
  const accessVariant = sent.accessVariant ?? (option.accessVariants[0]!.accessVariant as Kept["access_variant"]);
  const modality = sent.modality ?? option.modalities[0]!;
  requireChoice(
    `${at}accessVariant`,
    accessVariant,
    option.accessVariants.map((variant) => variant.accessVariant),
  );
  requireChoice(`${at}modality`, modality, option.modalities);
  const config = fitting(configSchemaOf(accessVariant), sent.config, `${at}config`);
  return {
    kept: {
      name: sent.name ?? option.productLabel,
      connection_type: sent.connectionType,
      access_variant: accessVariant,
      modality,
      environment: sent.environment,
      config: JSON.stringify(config),
    },
    secret: secretOf(accessVariant, sent.credential ?? {}, `${at}credential`),
  };
}

export function decideConnectionEdit(current: ConnectionRow, edit: Edit): ConnectionChange {
  if (current.archived_at !== null)
    throw new AppError("conflict", "The connection is archived; restore it, then edit it.");
  const variant = current.access_variant;
  const { name, environment } = edit;
  return {
    kept: {
      ...(name !== undefined && { name }),
      ...(environment !== undefined && { environment }),
      ...(edit.config && { config: JSON.stringify(fitting(configSchemaOf(variant), edit.config, "config")) }),
    },
    secret: edit.credential && secretOf(variant, edit.credential, "credential"),
  };
}

/** Whether a connection is restored now; one that is live stays as it is. */
export function decideConnectionRestore({
  agent,
  connection,
}: {
  agent: AgentRow;
  connection: ConnectionRow;
}): boolean {
  refuseArchivedAgent(agent);
  return connection.archived_at !== null;
}

export function refuseArchivedAgent(agent: AgentRow): void {
  if (agent.archived_at === null) return;
  throw new AppError(
    "parent_agent_archived",
    `The agent ${agent.id} is archived; restore it (POST /v1/agents/${agent.id}/restore), then try again.`,
    { agentId: agent.id },
  );
}

export function refuseOverfull(liveCount: number): void {
  if (liveCount < LIMITS.connectionsPerAgent) return;
  throw new AppError(
    "unprocessable",
    `An agent has at most ${LIMITS.connectionsPerAgent} live connections; archive one that is not needed.`,
  );
}

/** Whether a connection leads to the same place by the same way as the one that is wanted. */
export function leadsToSame(row: ConnectionRow, { kept }: DecidedConnection): boolean {
  return (
    row.access_variant === kept.access_variant &&
    row.modality === kept.modality &&
    row.environment === kept.environment &&
    isDeepStrictEqual(JSON.parse(row.config), JSON.parse(kept.config))
  );
}

export function presentConnection(row: ConnectionRow, agent: AgentRow): AgentConnection {
  const option = connectionOption(row.connection_type);
  return {
    id: row.id,
    agentId: agent.id,
    projectId: agent.project_id,
    name: row.name,
    agentPlatform: option.agentPlatform ?? agent.agent_platform,
    connectionType: row.connection_type,
    accessVariant: row.access_variant,
    modality: row.modality,
    productLabel: option.productLabel,
    topology: option.topology,
    environment: row.environment,
    config: JSON.parse(row.config),
    credentialPresent: row.hint !== null,
    credentialsHint: row.hint,
    archived: row.archived_at !== null,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** An agent of no known platform may be reached in any way; one of a platform not by another platform's. */
function refuseOtherPlatform(platform: AgentPlatform, option: ConnectionOption, at: string): void {
  if (option.agentPlatform === null || platform === "custom" || option.agentPlatform === platform) return;
  throw unfit([
    {
      path: `${at}connectionType`,
      message: `Agents of ${platform} are not reached by ${option.connectionType}; choose another type.`,
    },
  ]);
}

function requireChoice(path: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw unfit([{ path, message: `Choose one of ${choices.join(", ")}.` }]);
}

function secretOf(variant: Kept["access_variant"], sent: Record<string, unknown>, at: string): Secret | undefined {
  const credential: ConnectionCredential = fitting(credentialSchemaOf(variant), sent, at);
  if (Object.keys(credential).length === 0) return undefined;
  return { text: JSON.stringify(credential), shown: shownPartOf(variant, credential) };
}

function fitting<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return result.data;
  throw unfit(
    result.error.issues.slice(0, ISSUES_SHOWN).map(({ path, message }) => ({ path: [at, ...path].join("."), message })),
  );
}

function unfit(issues: { path: string; message: string }[]): AppError {
  const [first] = issues;
  return new AppError("unprocessable", `Change the request and send it again. \`${first!.path}\`: ${first!.message}`, {
    issues,
  });
}

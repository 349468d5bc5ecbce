import { isDeepStrictEqual } from "node:util";
import {
  type AgentPlatform,
  configSchemaOf,
  type ConnectionCredential,
  type ConnectionOption,
  connectionOption,
  credentialSchemaOf,
  issueText,
  LIMITS,
  type NewConnection,
  type operations,
  shownPartOf,
} from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { type Issue, refusalOf } from "../../http/refusal.ts";
import { issuesOf } from "../../http/validate.ts";
import type { Schema } from "../../stores/schema.ts";
import { refuseStaleRevision } from "../../base/versions.ts";
import { ENTER_CREDENTIAL, namesAnotherHost } from "../another-host.ts";
import type { AgentRow } from "../rules.ts";

type ConnectionBody = z.output<typeof NewConnection>;
type EditBody = z.output<(typeof operations.connections.edit)["body"]>;

/** The hint is null when the connection has no credential. */
export type ConnectionRow = Schema["connections"] & { hint: string | null };

/** A credential as JSON (`text`), and the secret in it whose last characters become the hint (`shown`). */
export type Secret = { text: string; shown: string };

type ConnectionColumns = Pick<
  Schema["connections"],
  "name" | "connection_type" | "access_variant" | "modality" | "environment" | "config"
>;

/** When the author did not choose the name and the name is taken, the store adds a number to the name. */
export type ConnectionContent = { columns: ConnectionColumns; choosesName: boolean; secret: Secret | undefined };

export type ConnectionChange = {
  columns: Partial<Pick<ConnectionColumns, "name" | "environment" | "config">>;
  secret: Secret | undefined;
};

/**
 * Throws when members do not fit the connection type. The error has the path of each such member, and each path begins
 * with `pathPrefix`.
 */
export function decideConnection(platform: AgentPlatform, body: ConnectionBody, pathPrefix = ""): ConnectionContent {
  const option = connectionOption(body.connectionType);
  refuseOtherPlatform(platform, option, pathPrefix);
  const [firstVariant] = option.accessVariants;
  const accessVariant = body.accessVariant ?? (firstVariant!.accessVariant as ConnectionColumns["access_variant"]);
  const modality = body.modality ?? option.modalities[0]!;
  const variants = option.accessVariants.map((variant) => variant.accessVariant);
  requireChoice(`${pathPrefix}accessVariant`, accessVariant, variants);
  requireChoice(`${pathPrefix}modality`, modality, option.modalities);
  const config = parseWith(configSchemaOf(accessVariant), body.config, `${pathPrefix}config`);
  return {
    columns: {
      name: body.name ?? option.productLabel,
      connection_type: body.connectionType,
      access_variant: accessVariant,
      modality,
      environment: body.environment,
      config: JSON.stringify(config),
    },
    choosesName: body.name !== undefined,
    secret: secretOf(accessVariant, body.credential ?? {}, `${pathPrefix}credential`),
  };
}

export function decideConnectionEdit(current: ConnectionRow, edit: EditBody): ConnectionChange {
  if (current.archived_at !== null)
    throw new AppError("conflict", "The connection is archived; restore it, then edit it.");
  refuseStaleRevision("connection", current, edit.expectedRevision);
  const variant = current.access_variant;
  const { name, environment, credential } = edit;
  const config = edit.config && parseWith(configSchemaOf(variant), edit.config, "config");
  if (config && !credential) refuseToMoveCredential(current, config);
  return {
    columns: {
      ...(name !== undefined && { name }),
      ...(environment !== undefined && { environment }),
      ...(config && { config: JSON.stringify(config) }),
    },
    secret: credential && secretOf(variant, credential, "credential"),
  };
}

/** Whoever may edit a connection must not learn its secret by naming a host of their own. */
function refuseToMoveCredential(current: ConnectionRow, config: Record<string, string>): void {
  if (current.hint === null) return;
  const { accessVariants } = connectionOption(current.connection_type);
  const fields = accessVariants.find(({ accessVariant }) => accessVariant === current.access_variant)!;
  if (!namesAnotherHost(fields.config, JSON.parse(current.config), config)) return;
  throw unfit(
    fields.credential
      .filter(({ required }) => required)
      .map(({ name }) => ({ path: `credential.${name}`, message: ENTER_CREDENTIAL })),
  );
}

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

export function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let number = 2; taken.includes(free); number++) free = `${name} ${number}`;
  return free;
}

export function refuseOverfull(liveCount: number): void {
  if (liveCount < LIMITS.connectionsPerAgent) return;
  throw new AppError(
    "unprocessable",
    `An agent has at most ${LIMITS.connectionsPerAgent} live connections; archive one that you do not need.`,
  );
}

export function leadsToSame(row: ConnectionRow, { columns }: ConnectionContent): boolean {
  return (
    row.access_variant === columns.access_variant &&
    row.modality === columns.modality &&
    row.environment === columns.environment &&
    isDeepStrictEqual(JSON.parse(row.config), JSON.parse(columns.config))
  );
}

function refuseOtherPlatform(platform: AgentPlatform, option: ConnectionOption, pathPrefix: string): void {
  if (option.agentPlatform === null || platform === "custom" || option.agentPlatform === platform) return;
  throw unfit([
    {
      path: `${pathPrefix}connectionType`,
      message: `A connection of type ${option.connectionType} does not reach an agent of ${platform}; choose another type.`,
    },
  ]);
}

function requireChoice(path: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw unfit([{ path, message: `Choose one of ${choices.join(", ")}.` }]);
}

function secretOf(
  variant: ConnectionColumns["access_variant"],
  sent: Record<string, unknown>,
  at: string,
): Secret | undefined {
  const credential: ConnectionCredential = parseWith(credentialSchemaOf(variant), sent, at);
  if (Object.keys(credential).length === 0) return undefined;
  return { text: JSON.stringify(credential), shown: shownPartOf(variant, credential) };
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  const result = schema.safeParse(value, { error: issueText });
  if (result.success) return result.data;
  throw unfit(issuesOf(result.error, at));
}

const unfit = (issues: readonly Issue[]) => refusalOf("unprocessable", issues);

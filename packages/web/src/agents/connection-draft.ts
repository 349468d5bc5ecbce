import type { Answer, Input, Operations } from "@svc/sdk";

export type ConnectionOption = Answer<Operations["connectionOptions"]["list"]>["connectionOptions"][number];
type AccessVariant = ConnectionOption["accessVariants"][number];
export type ConfigField = AccessVariant["config"][number];
export type CredentialField = AccessVariant["credential"][number];
export type Connection = Answer<Operations["connections"]["get"]>["connection"];
type NewConnection = Omit<Input<Operations["connections"]["create"]>, "agentId" | "projectId">;
type ConnectionEdit = Omit<Input<Operations["connections"]["edit"]>, "agentId" | "connectionId" | "projectId">;

export type Header = { name: string; value: string };

/** An empty text means that the field is not set. */
export type ConnectionDraft = {
  connectionType: string;
  accessVariant: string;
  modality: string;
  name: string;
  environment: string;
  config: Record<string, string>;
  secrets: Record<string, string>;
  headers: Record<string, Header[]>;
};

/**
 * Types that simulations can play come first. Among these, the types of the agent's platform come first. A custom agent accepts
 * every type. The type of a stored connection cannot change.
 */
export function optionsFor(
  agent: { agentPlatform: string },
  options: readonly ConnectionOption[],
  stored: Connection | undefined,
): ConnectionOption[] {
  if (stored !== undefined) return options.filter(({ connectionType }) => connectionType === stored.connectionType);
  const own = agent.agentPlatform === "custom" ? null : agent.agentPlatform;
  const others = options.filter(
    ({ agentPlatform }) => agentPlatform !== own && (own === null || agentPlatform === null),
  );
  const reaching = [...options.filter(({ agentPlatform }) => agentPlatform === own), ...others];
  const isPlayed = ({ plays }: ConnectionOption) => plays.text || plays.speech;
  return [...reaching.filter(isPlayed), ...reaching.filter((option) => !isPlayed(option))];
}

/** Returns the names that the service's validation errors use for the fields of a connection. */
export function fieldPathsOf(draft: ConnectionDraft, option: ConnectionOption): string[] {
  const variant = variantOf(draft, option);
  return [
    "connectionType",
    "accessVariant",
    "modality",
    "name",
    "environment",
    ...(variant?.config ?? []).map(({ name }) => `config.${name}`),
    ...(variant?.credential ?? []).map(({ name }) => `credential.${name}`),
  ];
}

/** A required choice begins with its first value. */
export function emptyDraft(option: ConnectionOption, variant = option.accessVariants[0]): ConnectionDraft {
  const choices = (variant?.config ?? []).flatMap(({ name, required, choices: [first] = [] }) =>
    required && first !== undefined ? [[name, first]] : [],
  );
  return {
    connectionType: option.connectionType,
    accessVariant: variant?.accessVariant ?? "",
    modality: option.modalities[0] ?? "",
    name: "",
    environment: "production",
    config: Object.fromEntries(choices) as Record<string, string>,
    secrets: {},
    headers: {},
  };
}

/** Settings that both variants have keep their values. */
export function withVariant(draft: ConnectionDraft, variant: AccessVariant, option: ConnectionOption): ConnectionDraft {
  const defaults = emptyDraft(option, variant);
  const kept = variant.config.flatMap(({ name }) =>
    draft.config[name] === undefined ? [] : [[name, draft.config[name]]],
  );
  const config = { ...defaults.config, ...(Object.fromEntries(kept) as Record<string, string>) };
  return { ...draft, accessVariant: variant.accessVariant, config, secrets: {}, headers: {} };
}

/** The draft has no credential, because the service never returns one. */
export const draftOf = (connection: Connection): ConnectionDraft => ({
  connectionType: connection.connectionType,
  accessVariant: connection.accessVariant,
  modality: connection.modality,
  name: connection.name,
  environment: connection.environment,
  config: Object.fromEntries(Object.entries(connection.config).map(([name, value]) => [name, String(value)])),
  secrets: {},
  headers: {},
});

export const variantOf = (draft: ConnectionDraft, option: ConnectionOption): AccessVariant | undefined =>
  option.accessVariants.find(({ accessVariant }) => accessVariant === draft.accessVariant);

export function creationOf(draft: ConnectionDraft): NewConnection {
  const credential = credentialOf(draft);
  return {
    connectionType: draft.connectionType as NewConnection["connectionType"],
    accessVariant: draft.accessVariant as NonNullable<NewConnection["accessVariant"]>,
    modality: draft.modality as NonNullable<NewConnection["modality"]>,
    ...(draft.name.trim() !== "" && { name: draft.name }),
    environment: draft.environment,
    config: configOf(draft),
    ...(credential && { credential }),
  };
}

/** Returns only the fields that differ, and the credential if one was typed. */
export function editOf(draft: ConnectionDraft, stored: Connection, expectedRevision: number): ConnectionEdit {
  const credential = credentialOf(draft);
  const config = configOf(draft);
  return {
    ...(draft.name !== stored.name && { name: draft.name }),
    ...(draft.environment !== stored.environment && { environment: draft.environment }),
    ...(!isSameConfig(config, configOf(draftOf(stored))) && { config }),
    ...(credential && { credential }),
    expectedRevision,
  };
}

export const isChanged = (draft: ConnectionDraft, stored: Connection): boolean =>
  Object.keys(editOf(draft, stored, stored.revision)).length > 1;

type Difference = { label: string; mine: string; theirs: string };

/** Returns the settings that differ. The page shows them to a person whose edit was based on an older version. */
export function differencesOf(draft: ConnectionDraft, current: Connection): Difference[] {
  const theirs = draftOf(current);
  const names = [...new Set([...Object.keys(draft.config), ...Object.keys(theirs.config)])];
  const pairs: Difference[] = [
    { label: "Name", mine: draft.name, theirs: theirs.name },
    { label: "Environment", mine: draft.environment, theirs: theirs.environment },
    ...names.map((name) => ({
      label: labelOf(name),
      mine: draft.config[name] ?? "",
      theirs: theirs.config[name] ?? "",
    })),
  ];
  return pairs.filter(({ mine, theirs: other }) => mine !== other);
}

const configOf = (draft: ConnectionDraft): Record<string, string> =>
  Object.fromEntries(Object.entries(draft.config).filter(([, value]) => value.trim() !== ""));

/** Returns undefined if no credential was typed; the stored credential then does not change. */
function credentialOf({ secrets, headers }: ConnectionDraft): Record<string, unknown> | undefined {
  const texts = Object.entries(secrets).filter(([, secret]) => secret.trim() !== "");
  const lists = Object.entries(headers)
    .map(([field, rows]) => [field, rows.filter(({ name }) => name.trim() !== "")] as const)
    .filter(([, rows]) => rows.length > 0)
    .map(([field, rows]) => [field, Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]))] as const);
  const fields = [...texts, ...lists];
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function isSameConfig(first: Record<string, string>, second: Record<string, string>): boolean {
  const names = Object.keys(first);
  return names.length === Object.keys(second).length && names.every((name) => first[name] === second[name]);
}

const WORDS: Readonly<Record<string, string>> = { api: "API", url: "URL", id: "id", a: "A", b: "B", e164: "E.164" };

/** `tokenEndpoint` becomes "Token endpoint", and `apiKey` becomes "API key". */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[ _]/)
    .map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase());
  const [first = "", ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
}

/** `http_chat.bearer` becomes "Bearer". */
export const variantLabel = (accessVariant: string): string =>
  labelOf(accessVariant.split(".").at(-1) ?? accessVariant);

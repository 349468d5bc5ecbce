import type { ConnectionOption } from "@svc/contract";
import { repeatedFlag } from "../flags.ts";
import { readStandardInput } from "../terminal/input.ts";
import { askSecret, askText, isInteractive } from "../terminal/prompt.ts";
import { type Refusal, usage } from "../refusal.ts";

export type ConnectionVariant = ConnectionOption["accessVariants"][number];
type CredentialField = ConnectionVariant["credential"][number];

export const configFlag = () => repeatedFlag("A field of the connection's config.", "<name>=<value>");

export function selectVariant(
  options: ConnectionOption[],
  typeName: string,
  variantName: string | undefined,
): { type: ConnectionOption; variant: ConnectionVariant } {
  const type = options.find(({ connectionType }) => connectionType === typeName);
  if (!type) {
    const types = options.map(({ connectionType }) => connectionType).join(", ");
    throw usage(`"${typeName}" is not a connection type. Choose one of ${types}.`);
  }
  const { accessVariants } = type;
  const variant =
    variantName === undefined
      ? accessVariants[0]
      : accessVariants.find(({ accessVariant }) => [variantName, `${typeName}.${variantName}`].includes(accessVariant));
  if (!variant) {
    const variants = accessVariants.map(({ accessVariant }) => accessVariant).join(", ");
    throw usage(`"${variantName}" is not an access variant of ${typeName}. Choose one of ${variants}.`);
  }
  return { type, variant };
}

/** Asks the user for required fields that are missing. */
export async function readConfig(
  variant: ConnectionVariant,
  pairs: readonly string[],
): Promise<Record<string, string>> {
  const config: Record<string, string> = {};
  for (const pair of pairs) {
    const [name = "", value] = pair.split(/=(.*)/s, 2) as [string, string | undefined];
    refuseSecretField(variant, name);
    if (value === undefined || !variant.config.some((field) => field.name === name)) {
      const names = variant.config.map((field) => field.name).join(", ");
      throw usage(
        `"${name}" does not set a config field. Write --config name=value with one of these names: ${names}.`,
      );
    }
    config[name] = value;
  }
  for (const { name, required, description, choices } of variant.config) {
    if (!required || config[name] !== undefined) continue;
    const question = choices ? `${description} (${choices.join(", ")})` : description;
    const option = (choices ?? ["…"]).map((value) => `--config ${name}=${value}`).join(" or ");
    config[name] = await askText(question, option);
  }
  return config;
}

function refuseSecretField({ credential }: ConnectionVariant, name: string): void {
  if (!credential.some((field) => field.name === name)) return;
  throw usage(
    `${name} is a secret, and other users of this machine can read the command line. Set ${variableOf(name)}, or send it on standard input.`,
  );
}

/**
 * An optional field only comes from its environment variable. Each other field of the credential comes from its environment variable, or else from a hidden prompt. Without a terminal, standard
 * input has one line for each missing field, in order. Throws when a field has no value.
 */
export async function readCredential({ credential }: ConnectionVariant): Promise<Record<string, unknown> | undefined> {
  const fields = credential.filter(({ name, required }) => required || process.env[variableOf(name)]);
  if (fields.length === 0) return undefined;
  const fromEnvironment = fields.map((field) => process.env[variableOf(field.name)]);
  const lines = fromEnvironment.every(Boolean) || isInteractive() ? [] : await readLines();
  const entries: [string, unknown][] = [];
  for (const [at, field] of fields.entries()) {
    const isHeaders = field.kind === "headers";
    const fromInput = () => (isHeaders ? lines.join("\n") : lines.shift());
    const text = fromEnvironment[at] || (isInteractive() ? await askField(field) : fromInput());
    if (!text) throw missingCredential(fields);
    entries.push([field.name, isHeaders ? parseHeaders(text) : text.trim()]);
  }
  return Object.fromEntries(entries);
}

const readLines = async () => (await readStandardInput()).split(/\r?\n/).filter((line) => line.trim() !== "");

const askField = ({ description, kind, minCharacters }: CredentialField) =>
  askSecret(kind === "headers" ? `${description} Write it as \`Name: value\`.` : description, (text) =>
    text.length < minCharacters ? `It has at least ${minCharacters} characters.` : undefined,
  );

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split("\n").map((line) => line.split(/:(.*)/s, 2).map((part) => part.trim()));
  if (pairs.some(([name, value]) => !name || !value))
    throw usage("A header is not readable. Write each header as `Name: value` on a separate line.");
  return Object.fromEntries(pairs) as Record<string, string>;
}

function missingCredential(fields: CredentialField[]): Refusal {
  const names = fields.map(({ name }) => name).join(" and ");
  const variables = fields.map(({ name }) => variableOf(name)).join(" and ");
  return usage(`The connection needs ${names}. Set ${variables}, or send a line for each on standard input.`);
}

/** Example: `SVC_CREDENTIAL_API_KEY` for `apiKey`. */
export const variableOf = (name: string): string =>
  `SVC_CREDENTIAL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

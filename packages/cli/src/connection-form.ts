import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import { readStandardInput } from "./input.ts";
import { askSecret, askText, isInteractive } from "./prompt.ts";
import { type Refusal, usage } from "./refusal.ts";

type Option = Answer<Operations["connectionOptions"]["list"]>["connectionOptions"][number];
type Variant = Option["accessVariants"][number];
type CredentialField = Variant["credential"][number];

export const configFlag = () =>
  Flags.string({
    description: "A field of the config; give it once for each.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<name>=<value>",
  });

/** The type and access variant that a person named, among those that the service has. */
export function chosen(
  options: Option[],
  type: string,
  variant: string | undefined,
): { type: Option; variant: Variant } {
  const option = options.find(({ connectionType }) => connectionType === type);
  if (!option)
    throw usage(`"${type}" is no type of connection: ${options.map((one) => one.connectionType).join(", ")}.`);
  const names = option.accessVariants.map(({ accessVariant }) => accessVariant);
  const found =
    variant === undefined
      ? option.accessVariants[0]
      : option.accessVariants.find(({ accessVariant }) => [variant, `${type}.${variant}`].includes(accessVariant));
  if (!found) throw usage(`"${variant}" is no access variant of ${type}: ${names.join(", ")}.`);
  return { type: option, variant: found };
}

/** The config from `name=value` pairs; a person is asked for what is needed and missing. */
export async function configOf(variant: Variant, pairs: readonly string[]): Promise<Record<string, string>> {
  const config: Record<string, string> = {};
  for (const pair of pairs) {
    const [name = "", value] = pair.split(/=(.*)/s, 2) as [string, string | undefined];
    refuseOnCommandLine(variant, name);
    if (value === undefined || !variant.config.some((field) => field.name === name))
      throw usage(`--config takes name=value with a name of ${variant.config.map((field) => field.name).join(", ")}.`);
    config[name] = value;
  }
  for (const { name, required, description, choices } of variant.config) {
    if (!required || config[name] !== undefined) continue;
    const told = choices ? `${description} (${choices.join(", ")})` : description;
    config[name] = await askText(told, `--config ${name}=…`);
  }
  return config;
}

function refuseOnCommandLine({ credential }: Variant, name: string): void {
  if (!credential.some((field) => field.name === name)) return;
  throw usage(
    `A secret does not belong on a command line: put ${name} into ${variableOf(name)}, or on standard input.`,
  );
}

/**
 * The credential: each field from its environment variable, a hidden prompt, or standard input, which holds one line for
 * each field that is still missing, in their order.
 */
export async function credentialOf({ credential }: Variant): Promise<Record<string, unknown> | undefined> {
  if (credential.length === 0) return undefined;
  const given = credential.map((field) => process.env[variableOf(field.name)]);
  const typed = given.every(Boolean) || isInteractive() ? [] : await lines();
  const entries: [string, unknown][] = [];
  for (const [at, field] of credential.entries()) {
    const headers = field.kind === "headers";
    const text = given[at] || (isInteractive() ? await ask(field) : headers ? typed.join("\n") : typed.shift());
    if (!text) throw missing(credential);
    entries.push([field.name, headers ? headersOf(text) : text.trim()]);
  }
  return Object.fromEntries(entries);
}

const lines = async () => (await readStandardInput()).split(/\r?\n/).filter((line) => line.trim() !== "");

const ask = ({ description, kind, minCharacters }: CredentialField) =>
  askSecret(kind === "headers" ? `${description} As \`Name: value\`.` : description, (text) =>
    text.length < minCharacters ? `It has at least ${minCharacters} characters.` : undefined,
  );

/** `Name: value`, one on each line. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split("\n").map((line) => line.split(/:(.*)/s, 2).map((part) => part.trim()));
  if (pairs.some(([name, value]) => !name || !value))
    throw usage("Write each header as `Name: value`, on its own line.");
  return Object.fromEntries(pairs) as Record<string, string>;
}

function missing(fields: CredentialField[]): Refusal {
  const variables = fields.map(({ name }) => variableOf(name)).join(" and ");
  const names = fields.map(({ name }) => name).join(" and ");
  return usage(`The connection needs ${names}: set ${variables}, or send a line for each on standard input.`);
}

/** `apiKey` comes from `SVC_CREDENTIAL_API_KEY`. */
export const variableOf = (name: string): string =>
  `SVC_CREDENTIAL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

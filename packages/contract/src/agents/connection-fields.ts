import { z } from "zod";
import type { AccessVariant, ConfigField, ConnectionOption, CredentialField } from "./connection-options.ts";
import { CONNECTION_OPTIONS } from "./connection-options.ts";
import { LIMITS } from "../core/limits.ts";
import { VISIBLE_ASCII } from "../core/texts.ts";

const E164 = /^\+[1-9]\d{6,14}$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** Headers that belong to the request itself and not to who sends it. */
const OWN_HEADERS = /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer)$/i;
const HEADERS_MAX = 20;

/** The schema of the `config` of one access variant, made from its fields. */
export function configSchemaOf(variant: AccessVariant): z.ZodType<Record<string, string>> {
  return membersOf(fieldsOf(variant).config, configValue).refine(
    (config) => new TextEncoder().encode(JSON.stringify(config)).length <= LIMITS.connectionConfigBytes,
    `Keep the config under ${LIMITS.connectionConfigBytes / 1024} KiB of JSON.`,
  ) as unknown as z.ZodType<Record<string, string>>;
}

/** What a connection's credential holds, by the names of its fields. */
export type ConnectionCredential = Record<string, string | Record<string, string>>;

/** The schema of the `credential` of one access variant; its messages repeat nothing that was sent. */
export function credentialSchemaOf(variant: AccessVariant): z.ZodType<ConnectionCredential> {
  return membersOf(fieldsOf(variant).credential, credentialValue) as unknown as z.ZodType<ConnectionCredential>;
}

/** The fields of an access variant, as `GET /v1/connection-options` lists them. */
function fieldsOf(variant: AccessVariant): ConnectionOption["accessVariants"][number] {
  const options: readonly ConnectionOption[] = CONNECTION_OPTIONS;
  return options.flatMap(({ accessVariants }) => accessVariants).find((one) => one.accessVariant === variant)!;
}

/** The part of a credential whose last four characters are shown: its first field, or the longest of its headers. */
export function shownPartOf(variant: AccessVariant, credential: ConnectionCredential): string {
  const value = credential[fieldsOf(variant).credential[0]!.name]!;
  if (typeof value === "string") return value;
  return Object.values(value).reduce((longest, header) => (header.length > longest.length ? header : longest), "");
}

function membersOf<F extends ConfigField | CredentialField>(fields: readonly F[], valueOf: (field: F) => z.ZodType) {
  const names = fields.map(({ name }) => `\`${name}\``).join(", ");
  const takes = names === "" ? "This access variant takes none." : `This access variant takes ${names} only.`;
  const shape = Object.fromEntries(
    fields.map((field) => [field.name, field.required ? valueOf(field) : valueOf(field).optional()]),
  );
  return z.strictObject(shape, { error: ({ code }) => (code === "unrecognized_keys" ? takes : undefined) });
}

/** Says what a missing field is for. */
const text = ({ description }: ConfigField | CredentialField) =>
  z.string({ error: ({ input }) => (input === undefined ? `Required: ${description}` : "Expected text.") });

function configValue(field: ConfigField): z.ZodType<string> {
  const { kind, maxCharacters, protocols = [], choices = [] } = field;
  if (kind === "choice")
    return text(field).refine((value) => choices.includes(value), `Choose one of ${choices.join(", ")}.`);
  const value = text(field)
    .trim()
    .min(1, { error: "Give some text, or leave it out.", abort: true })
    .max(maxCharacters, { error: `Keep it to ${maxCharacters} characters.`, abort: true });
  if (kind === "phone") return value.regex(E164, "Write the number in E.164: + and 7 to 15 digits, without spaces.");
  if (kind === "url") return value.superRefine((address, context) => refineUrl(address, protocols, context));
  return value;
}

function refineUrl(address: string, protocols: readonly string[], context: z.RefinementCtx): void {
  const url = URL.parse(address);
  if (!url || !protocols.includes(url.protocol.slice(0, -1))) {
    const begins = protocols.map((protocol) => `${protocol}://`).join(" or ");
    context.addIssue({ code: "custom", message: `Give an address that begins with ${begins}.` });
  } else if (url.username !== "" || url.password !== "") {
    context.addIssue({
      code: "custom",
      message: "Leave name and password out of the address; a secret goes into the credential.",
    });
  }
}

function credentialValue(field: CredentialField): z.ZodType {
  return field.kind === "headers" ? headers(field) : secretText(field);
}

const secretText = (field: CredentialField) =>
  text(field)
    .trim()
    .min(field.minCharacters, { error: `A credential has at least ${field.minCharacters} characters.`, abort: true })
    .max(field.maxCharacters, `Keep it to ${field.maxCharacters} characters.`)
    .regex(VISIBLE_ASCII, "A credential has visible ASCII characters only, without spaces.");

/** Every value is sealed; one of them must be long enough to be a secret. */
const headers = (field: CredentialField) =>
  z
    .record(z.string(), z.string({ error: "Expected text." }).trim(), {
      error: ({ input }) => (input === undefined ? `Required: ${field.description}` : "Expected an object of headers."),
    })
    .superRefine((sent, context) => {
      const message = faultOfHeaders(Object.entries(sent), field);
      if (message) context.addIssue({ code: "custom", message });
    });

function faultOfHeaders(sent: [name: string, value: string][], field: CredentialField): string | undefined {
  if (sent.length > HEADERS_MAX) return `Give at most ${HEADERS_MAX} headers.`;
  if (!sent.every(([name]) => HEADER_NAME.test(name))) return "A header's name has letters, digits and hyphens.";
  if (sent.some(([name]) => OWN_HEADERS.test(name))) return "Leave out headers that belong to the request itself.";
  if (!sent.every(([, value]) => HEADER_VALUE.test(value)))
    return "A header's value has printable ASCII characters only.";
  if (sent.some(([, value]) => value.length > field.maxCharacters))
    return `Keep each value to ${field.maxCharacters} characters.`;
  if (!sent.some(([, value]) => value.length >= field.minCharacters))
    return `One header's value must have at least ${field.minCharacters} characters.`;
  return undefined;
}

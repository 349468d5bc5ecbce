import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { VISIBLE_ASCII } from "../core/texts.ts";
import type { ConfigField, ConnectionOption, CredentialField } from "./connection-option.ts";
import { callersProblem } from "./incoming-call.ts";
import { phoneNumberProblem } from "./phone-number.ts";
import { sipAccountProblem, sipUriProblem } from "./sip-uri.ts";
import { type AccessVariant, CONNECTION_OPTIONS } from "./connection-types.ts";

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** Names of headers that the HTTP client sets itself. */
const RESERVED_HEADERS = /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer)$/i;
const HEADERS_MAX = 20;

/**
 * Returns the schema of `config` for an access variant: one of the ways to authenticate that a connection type supports.
 * `CONNECTION_OPTIONS` lists the fields.
 */
export function configSchemaOf(variant: AccessVariant): z.ZodType<Record<string, string>> {
  return objectOf(fieldsOf(variant).config, configValue).refine(
    (config) => new TextEncoder().encode(JSON.stringify(config)).length <= LIMITS.connectionConfigBytes,
    `Keep the config under ${LIMITS.connectionConfigBytes / 1024} KiB of JSON.`,
  ) as unknown as z.ZodType<Record<string, string>>;
}

/** Credential of a connection. Each field, by its name, is a secret text or an object of headers. */
export type ConnectionCredential = Record<string, string | Record<string, string>>;

/** Returns the schema of an access variant's `credential`. Its error messages never repeat a value from the request. */
export function credentialSchemaOf(variant: AccessVariant): z.ZodType<ConnectionCredential> {
  return objectOf(fieldsOf(variant).credential, credentialValue) as unknown as z.ZodType<ConnectionCredential>;
}

/** Returns the fields of an access variant, as `GET /v1/connection-options` lists them. */
function fieldsOf(variant: AccessVariant): ConnectionOption["accessVariants"][number] {
  const options: readonly ConnectionOption[] = CONNECTION_OPTIONS;
  return options.flatMap(({ accessVariants }) => accessVariants).find((one) => one.accessVariant === variant)!;
}

/**
 * Returns the part of a credential whose last four characters the service shows: the value of the first field. When this value is an object
 * of HTTP headers, returns the longest header value.
 */
export function shownPartOf(variant: AccessVariant, credential: ConnectionCredential): string {
  const value = credential[fieldsOf(variant).credential[0]!.name]!;
  if (typeof value === "string") return value;
  return Object.values(value).reduce((longest, header) => (header.length > longest.length ? header : longest), "");
}

function objectOf<F extends ConfigField | CredentialField>(fields: readonly F[], valueOf: (field: F) => z.ZodType) {
  const names = fields.map(({ name }) => `\`${name}\``).join(", ");
  const unknownField =
    names === "" ? "This access variant has no fields." : `This access variant has only the fields ${names}.`;
  const shape = Object.fromEntries(
    fields.map((field) => [field.name, field.required ? valueOf(field) : valueOf(field).optional()]),
  );
  return z.strictObject(shape, { error: ({ code }) => (code === "unrecognized_keys" ? unknownField : undefined) });
}

/** Returns the schema of a text. The error for a missing value contains the description of the field. */
const text = ({ description }: ConfigField | CredentialField) =>
  z.string({ error: ({ input }) => (input === undefined ? `Required: ${description}` : "Expected text.") });

const PROBLEMS: Partial<Record<ConfigField["kind"], (value: string) => string | undefined>> = {
  phone: phoneNumberProblem,
  sip: sipUriProblem,
  sip_account: sipAccountProblem,
  sip_callers: callersProblem,
};

function configValue(field: ConfigField): z.ZodType<string> {
  const { kind, maxCharacters, protocols = [], choices = [] } = field;
  if (kind === "choice")
    return text(field).refine((value) => choices.includes(value), `Choose one of ${choices.join(", ")}.`);
  const value = text(field)
    .trim()
    .min(1, { error: "Send a text that is not empty, or omit the field.", abort: true })
    .max(maxCharacters, { error: `Use at most ${maxCharacters} characters.`, abort: true });
  const problemOf = PROBLEMS[kind];
  if (problemOf)
    return value.superRefine((written, context) => {
      const message = problemOf(written);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    });
  if (kind === "url") return value.superRefine((address, context) => refineUrl(address, protocols, context));
  return value;
}

function refineUrl(address: string, protocols: readonly string[], context: z.RefinementCtx): void {
  const url = URL.parse(address);
  if (!url || !protocols.includes(url.protocol.slice(0, -1))) {
    const begins = protocols.map((protocol) => `${protocol}://`).join(" or ");
    context.addIssue({ code: "custom", message: `Send a URL that begins with ${begins}.` });
  } else if (url.username !== "" || url.password !== "") {
    context.addIssue({
      code: "custom",
      message: "Remove the user name and password from the URL. Put secrets in the credential.",
    });
  }
}

function credentialValue(field: CredentialField): z.ZodType {
  return field.kind === "headers" ? headers(field) : secretText(field);
}

const secretText = (field: CredentialField) =>
  text(field)
    .trim()
    .min(field.minCharacters, { error: `Use at least ${field.minCharacters} characters.`, abort: true })
    .max(field.maxCharacters, `Use at most ${field.maxCharacters} characters.`)
    .regex(VISIBLE_ASCII, "Use only visible ASCII characters, without spaces.");

const headers = (field: CredentialField) =>
  z
    .record(z.string(), z.string({ error: "Expected text." }).trim(), {
      error: ({ input }) => (input === undefined ? `Required: ${field.description}` : "Send an object of headers."),
    })
    .superRefine((sent, context) => {
      const message = headersProblem(Object.entries(sent), field);
      if (message) context.addIssue({ code: "custom", message });
    });

function headersProblem(sent: [name: string, value: string][], field: CredentialField): string | undefined {
  if (sent.length > HEADERS_MAX) return `Send at most ${HEADERS_MAX} headers.`;
  if (!sent.every(([name]) => HEADER_NAME.test(name))) return "Use only letters, digits and hyphens in header names.";
  if (sent.some(([name]) => RESERVED_HEADERS.test(name)))
    return "Remove headers that the service sets itself, such as `Host` and `Content-Type`.";
  if (!sent.every(([, value]) => HEADER_VALUE.test(value)))
    return "Use only printable ASCII characters in header values.";
  if (sent.some(([, value]) => value.length > field.maxCharacters))
    return `Use at most ${field.maxCharacters} characters in each header value.`;
  if (!sent.some(([, value]) => value.length >= field.minCharacters))
    return `Use at least ${field.minCharacters} characters in one of the header values.`;
  return undefined;
}

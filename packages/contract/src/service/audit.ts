import { z } from "zod";
import { managesOrganization } from "../core/access.ts";
import { id, timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { shownEmail } from "../core/texts.ts";
import { AUDIT_OUTCOMES, AUDIT_WAYS } from "./audit-words.ts";

const namesOf = <Names extends Record<string, string>>(names: Names) =>
  z.enum(Object.keys(names) as [keyof Names & string, ...(keyof Names & string)[]]).meta({
    description: Object.entries(names)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join(" "),
  });

/**
 * Line of the audit log: who did what, from where, and with which outcome. A line never changes. It contains the address of the person and
 * the name of the key at that time, even after the person or the key was deleted.
 */
export const AuditLine = z
  .strictObject({
    id: id("aud"),
    at: timestamp(),
    operation: z
      .string()
      .meta({ description: "Name of the operation, or of the operator's command.", example: "keys.create" }),
    outcome: namesOf(AUDIT_OUTCOMES),
    error: z.string().nullable().meta({ description: "Error code of the answer; null without an error." }),
    actor: z.strictObject({
      via: namesOf(AUDIT_WAYS),
      userId: id("usr").nullable().meta({ description: "The person; for an API key, the person who created the key." }),
      email: shownEmail.nullable(),
      sessionId: id("ses").nullable(),
      key: z
        .strictObject({ id: id("key"), name: z.string().nullable(), looksLike: z.string() })
        .nullable()
        .meta({ description: "Null without a key." }),
    }),
    address: z.string().nullable().meta({ description: "Address of the client; null for the operator." }),
    requestId: z.string().nullable().meta({ description: "`X-Request-Id` of the answer; null for the operator." }),
    projectId: id("prj").nullable().meta({ description: "Null when the operation concerns no project." }),
    resource: z
      .strictObject({ kind: z.string().meta({ example: "API key" }), id: z.string() })
      .nullable()
      .meta({
        description: "The resource that the operation changed or read; null when the operation names no resource.",
      }),
    detail: z.string().nullable().meta({
      description:
        "What the request asked for, when the name of the operation does not say it: whether a destination quotes conversations. Null otherwise.",
      example: "quotes: true",
    }),
  })
  .meta({ id: "AuditLine", description: "Who did what, from where, and with which outcome." });
export type AuditLine = z.infer<typeof AuditLine>;

const text = z.string().min(1).max(LIMITS.nameCharacters);

const filters = {
  actor: text.optional().meta({ description: "E-mail address or id of a person, or id of a key." }),
  operation: text.optional().meta({ description: "An operation such as `keys.create`, or a family such as `keys`." }),
  resource: text.optional().meta({ description: "Id of the resource that was changed or read." }),
  outcome: namesOf(AUDIT_OUTCOMES).optional(),
  from: timestampInput.optional().meta({ description: "Only lines from this time on." }),
  to: timestampInput.optional().meta({ description: "Only lines from before this time (exclusive)." }),
};

const ofAdmins = { ...managesOrganization, method: "GET", tag: "Audit", status: 200 } as const;

/** Audit log of an organization. */
export const audit = {
  /**
   * Lists the lines of the organization's audit log, newest first. Requires the role admin; an API key also needs the permission `admin`.
   */
  list: operation({
    ...ofAdmins,
    path: "/v1/audit",
    audit: { leftOut: "Each read of the audit would add a line to the audit. The audit has a line for each export." },
    summary: "List who did what",
    description:
      "The audit has a line for every change, every read of recordings, exports and keys, every sign-in, and every attempt that the service refused. Lines never change. The service deletes them after the number of days in its setting `SVC_AUDIT_RETENTION_DAYS`.",
    query: z.strictObject({ ...filters, ...pageQuery }),
    answer: z.strictObject({ lines: z.array(AuditLine), nextPageToken }),
  }),

  /**
   * Returns all lines of the organization's audit log as a stream of NDJSON, oldest first. Each line of the stream is an `AuditLine` as
   * JSON. Requires the role admin; an API key also needs the permission `admin`.
   */
  export: operation({
    ...ofAdmins,
    path: "/v1/audit/export",
    audit: "read",
    summary: "Export who did what",
    description: "One `AuditLine` as JSON per line, oldest first. The last line is about the export itself.",
    query: z.strictObject(filters),
    answer: "ndjson",
  }),
};

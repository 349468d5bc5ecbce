import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { z } from "zod";
import { ORGANIZATION_HEADER } from "./accounts/accounts.ts";
import { KEY_EXPIRES_IN_HEADER } from "./accounts/api-keys.ts";
import { ErrorBody } from "./core/error-body.ts";
import { ERRORS, type ErrorCode } from "./core/errors.ts";
import { idInput } from "./core/ids.ts";
import { LIMITS } from "./core/limits.ts";
import { errorCodesOf, mayOmitBody, type Operation } from "./core/operation.ts";
import { KEY_PERMISSIONS, PERMISSIONS } from "./core/permissions.ts";
import { project } from "./core/selection.ts";
import { TAGS } from "./core/tags.ts";
import { allOperations } from "./operations.ts";

/** Returns the OpenAPI 3.1.0 document of all operations. */
export function openApiDocument(): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const { name, operation } of allOperations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase() as "get"] = describe(name, operation);
  }
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: "1.0.0",
      description: `Testing and monitoring of voice agents.\n\nError codes:\n\n${errorTable()}`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([tag, description]) => ({ name: tag, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: `An API key, \`svc_sk_…\`. When the key of a request expires, the answer has the header \`${KEY_EXPIRES_IN_HEADER}\` with the number of seconds until then. Each operation names the permission that the key needs at least: ${Object.entries(
            KEY_PERMISSIONS,
          )
            .map(([name, { meaning }]) => `\`${name}\`: ${meaning}`)
            .join(" ")}`,
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "svc.session_token",
          description: "On HTTPS, the name of the cookie has the prefix `__Secure-`.",
        },
      },
    },
  });
}

function describe(name: string, op: Operation): ZodOpenApiOperationObject {
  const described: ZodOpenApiOperationObject = {
    operationId: name,
    summary: op.summary,
    tags: [op.tag],
    security: security(op),
    responses: responses(op),
  };
  const description = [op.description, ...auditNote(op)].filter((part) => part !== undefined).join("\n\n");
  if (description !== "") described.description = description;
  const takesSession = op.credential === "any" || op.credential === "session";
  if (op.params || op.query || op.headers || takesSession) {
    described.requestParams = {
      ...(op.params && { path: op.params }),
      ...(op.query && { query: withOwnProject(op, op.query) }),
      ...((op.headers || takesSession) && { header: headersOf(op.headers ?? {}, takesSession) }),
    };
  }
  if (op.body) described.requestBody = { required: !mayOmitBody(op), content: bodyContent(op) };
  return described;
}

/** Returns a sentence about the audit log for an operation with `audit: "read"` or `leftOut`; an empty array for any other operation. */
function auditNote({ audit }: Operation): string[] {
  if (audit === "read") return ["The audit has a line for each use of this operation."];
  return typeof audit === "object" ? [`The audit has no line for this operation: ${lowerFirst(audit.leftOut)}`] : [];
}

const lowerFirst = (text: string) => `${text[0]!.toLowerCase()}${text.slice(1)}`;

const OWN_PROJECT = project.meta({
  description:
    "Project id or exact name. Not needed, because the resource in the path determines the project. With the name of another project, the answer is 404.",
});

/** Changes the description of the project parameter when the path identifies a resource. The parameter is optional in that case. */
function withOwnProject(op: Operation, schema: z.ZodObject): z.ZodObject {
  if (op.resource === undefined) return schema;
  const named = ["project", "projectId"].filter((name) => name in schema.shape);
  return schema.extend(Object.fromEntries(named.map((name) => [name, OWN_PROJECT])));
}

function security(op: Operation): Record<string, string[]>[] {
  // In this list, OpenAPI 3.1 names the roles that a bearer token needs. For an API key, the list contains the minimum permission.
  const key = { apiKey: op.permission === undefined ? [] : [PERMISSIONS[op.permission].key] };
  const cookie = { session: [] };
  return { public: [], bearer: [key], any: [key, cookie], session: [cookie] }[op.credential];
}

const headersOf = (headers: NonNullable<Operation["headers"]>, takesSession: boolean) =>
  z.strictObject({
    ...Object.fromEntries(
      Object.values(headers).map((name) => [name, z.string().min(1).max(LIMITS.headerCharacters).optional()]),
    ),
    ...(takesSession && { [ORGANIZATION_HEADER]: organizationHeader }),
  });

const organizationHeader = idInput("org").optional().meta({
  id: "OrganizationOfRequest",
  description:
    "The organization in which the session acts for this request. Default: the session's organization. The header has no effect on an API key, which belongs to one organization.",
});

const protobuf = (message: string) => ({
  "application/x-protobuf": {
    schema: { type: "string" as const, format: "binary", description: `A \`${message}\` in protobuf.` },
  },
});

function bodyContent(op: Operation) {
  if (op.body !== "otlp") {
    const schema = withOwnProject(op, op.body!);
    return {
      "application/json": { schema },
      ...(op.acceptsForm && { "application/x-www-form-urlencoded": { schema } }),
    };
  }
  return {
    ...protobuf("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"),
    "application/json": {
      schema: {
        type: "object" as const,
        description: "An OTLP/JSON `ExportTraceServiceRequest`.",
        properties: { resourceSpans: { type: "array" as const, items: {} } },
      },
    },
  };
}

function answerContent({ answer, body }: Operation) {
  if (answer === "event-stream")
    return { "text/event-stream": { schema: { type: "string" as const, description: "Server-sent events." } } };
  if (answer === "audio")
    return { "audio/wav": { schema: { type: "string" as const, format: "binary", description: "A WAV file." } } };
  if (answer === "parquet") {
    const schema = { type: "string" as const, format: "binary", description: "A Parquet file." };
    return { "application/vnd.apache.parquet": { schema } };
  }
  if (answer === "ndjson")
    return {
      "application/x-ndjson": { schema: { type: "string" as const, description: "One JSON object per line." } },
    };
  return {
    ...(body === "otlp" && protobuf("opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse")),
    "application/json": { schema: answer! },
  };
}

function responses(op: Operation): NonNullable<ZodOpenApiOperationObject["responses"]> {
  const content = op.answer ? { content: answerContent(op) } : {};
  const answers: NonNullable<ZodOpenApiOperationObject["responses"]> = {
    [`${op.status}`]: {
      description: STATUS_MEANING[op.status],
      ...(op.answerHeaders && { headers: numberHeaders(op.answerHeaders) }),
      ...content,
    },
  };
  for (const [status, meaning] of Object.entries(op.alsoStatus ?? {})) {
    answers[status as "200"] = { description: meaning, ...(status === "206" && RANGE_HEADERS), ...content };
  }
  for (const [status, codes] of groupByStatus(errorCodesOf(op))) {
    answers[`${status}` as "400"] ??= {
      description: codes.map((code) => `\`${code}\``).join(", "),
      ...(status in ERROR_HEADERS && { headers: ERROR_HEADERS[status] }),
      content: { ...(op.body === "otlp" && protobuf("google.rpc.Status")), "application/json": { schema: ErrorBody } },
    };
  }
  return answers;
}

const numberHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: "number" as const, minimum: 0 } },
    ]),
  );

const STATUS_MEANING = { 200: "Success.", 201: "Created.", 204: "Success, without a body." };

const RETRY_AFTER = {
  description: "Number of seconds to wait.",
  required: true,
  schema: { type: "integer" as const, minimum: 1 },
};

const RANGE_HEADERS = {
  headers: {
    "Content-Range": {
      description: "First and last byte of the range, and the size of the file.",
      required: true,
      schema: { type: "string" as const },
    },
  },
};

/** Headers of error responses, by status. */
const ERROR_HEADERS: Record<number, NonNullable<ZodOpenApiResponseObject["headers"]>> = {
  401: {
    "WWW-Authenticate": { description: "Always `Bearer`.", required: true, schema: { type: "string" as const } },
  },
  416: {
    "Content-Range": {
      description: "`bytes */`, followed by the size of the file in bytes.",
      required: true,
      schema: { type: "string" as const },
    },
  },
  429: { "Retry-After": RETRY_AFTER },
  503: { "Retry-After": RETRY_AFTER },
};

function groupByStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => ERRORS[code].status);
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`);
  return ["| code | status | meaning |", "|---|---|---|", ...rows].join("\n");
}

import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { z } from "zod";
import { ORGANIZATION_HEADER } from "./accounts/accounts.ts";
import { ErrorBody } from "./core/error-body.ts";
import { ERRORS, type ErrorCode } from "./core/errors.ts";
import { idInput } from "./core/ids.ts";
import { LIMITS } from "./core/limits.ts";
import { errorCodesOf, type Operation } from "./core/operation.ts";
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
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key, `svc_sk_…`." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "svc.session_token",
          description: "On HTTPS the name has the prefix `__Secure-`.",
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
  if (op.description) described.description = op.description;
  const takesSession = op.credential === "any" || op.credential === "session";
  if (op.params || op.query || op.headers || takesSession) {
    described.requestParams = {
      ...(op.params && { path: op.params }),
      ...(op.query && { query: op.query }),
      ...((op.headers || takesSession) && { header: headersOf(op.headers ?? {}, takesSession) }),
    };
  }
  if (op.body) described.requestBody = { required: true, content: bodyContent(op.body) };
  return described;
}

function security(op: Operation): Record<string, string[]>[] {
  const key = { apiKey: [] };
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
    "The organization that a session acts in for this request; default: the session's organization. A key belongs to one organization and ignores the header.",
});

function bodyContent(body: NonNullable<Operation["body"]>) {
  if (body !== "otlp") return { "application/json": { schema: body } };
  return {
    "application/x-protobuf": {
      schema: { type: "string" as const, format: "binary", description: "An OTLP `ExportTraceServiceRequest`." },
    },
    "application/json": {
      schema: {
        type: "object" as const,
        description: "An OTLP/JSON `ExportTraceServiceRequest`.",
        properties: { resourceSpans: { type: "array" as const, items: {} } },
      },
    },
  };
}

const answerContent = (answer: NonNullable<Operation["answer"]>) =>
  answer === "event-stream"
    ? { "text/event-stream": { schema: { type: "string" as const, description: "Server-sent events." } } }
    : { "application/json": { schema: answer } };

function responses(op: Operation): NonNullable<ZodOpenApiOperationObject["responses"]> {
  const content = op.answer ? { content: answerContent(op.answer) } : {};
  const answers: NonNullable<ZodOpenApiOperationObject["responses"]> = {
    [`${op.status}`]: { description: STATUS_MEANING[op.status], ...content },
  };
  for (const [status, meaning] of Object.entries(op.alsoStatus ?? {})) {
    answers[status as "200"] = { description: meaning, ...content };
  }
  for (const [status, codes] of groupByStatus(errorCodesOf(op))) {
    answers[`${status}` as "400"] ??= {
      description: codes.map((code) => `\`${code}\``).join(", "),
      ...(status === 429 && { headers: { "Retry-After": RETRY_AFTER } }),
      content: { "application/json": { schema: ErrorBody } },
    };
  }
  return answers;
}

const STATUS_MEANING = { 200: "Success.", 201: "Created.", 204: "Success, without a body." };

const RETRY_AFTER = {
  description: "Number of seconds to wait.",
  required: true,
  schema: { type: "integer" as const, minimum: 1 },
};

function groupByStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => ERRORS[code].status);
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`);
  return ["| code | status | meaning |", "|---|---|---|", ...rows].join("\n");
}

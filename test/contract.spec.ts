import { readFileSync } from "node:fs";
import { allOperations, auditOf, ERRORS, errorCodesOf, openApiDocument, operation, requestShapes } from "@svc/contract";
import { requests } from "@svc/contract/requests";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";

const document = openApiDocument() as { openapi: string; paths: Record<string, Record<string, { responses: object }>> };

describe("the contract", () => {
  test("an operation that takes a credential compiles only with the permission that it needs", () => {
    const path = "/v1/things";
    const shown = { method: "GET", path, summary: "Show", tag: "Service", scope: "organization", status: 204 } as const;
    expect(operation({ ...shown, credential: "any", permission: "read" }).permission).toBe("read");
    // @ts-expect-error: the permission is missing.
    operation({ ...shown, credential: "any" });
    // @ts-expect-error: there is no such permission.
    operation({ ...shown, credential: "any", permission: "everything" });
    // @ts-expect-error: a public operation has no permission.
    operation({ ...shown, credential: "public", permission: "read" });
  });

  test("an operation compiles only when its method and permission say whether the audit has a line, or it says so itself", () => {
    const op = { path: "/v1/things", summary: "Do", tag: "Service", scope: "organization", status: 200 } as const;
    const ofAdmins = { ...op, credential: "any", permission: "oversee" } as const;
    const byReaders = { ...op, credential: "any", permission: "read" } as const;
    const leftOut = "It stores nothing.";
    expect(auditOf(operation({ ...byReaders, method: "GET" }))).toBeUndefined();
    expect(auditOf(operation({ ...byReaders, permission: "write", method: "DELETE" }))).toBe("change");
    expect(auditOf(operation({ ...ofAdmins, method: "GET", audit: "read" }))).toBe("read");
    expect(auditOf(operation({ ...byReaders, method: "POST", audit: { leftOut } }))).toBeUndefined();
    // @ts-expect-error: a POST with the permission `read` needs `audit`.
    operation({ ...byReaders, method: "POST" });
    // @ts-expect-error: a POST without a credential needs `audit`.
    operation({ ...op, credential: "public", method: "POST" });
    // @ts-expect-error: a GET for admins only needs `audit`.
    operation({ ...ofAdmins, method: "GET" });
    // @ts-expect-error: a GET that returns a file needs `audit`.
    operation({ ...byReaders, method: "GET", answer: "audio" });
  });

  test("openapi.json is a valid OpenAPI 3.1.0 document of version 1.0.0 with a relative server", async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" }, servers: [{ url: "/" }] });
  });

  test("openapi.json is up to date", () => {
    const committed = readFileSync("packages/contract/openapi.json", "utf8");
    expect(JSON.parse(committed), "run `npm run openapi`").toEqual(JSON.parse(JSON.stringify(document)));
  });

  test("every boolean has the JSON Schema type boolean", () => {
    const booleans: object[] = [];
    JSON.stringify(document, (_, part: unknown) => {
      if (part !== null && typeof part === "object" && "type" in part && part.type === "boolean") booleans.push(part);
      return part;
    });
    expect(booleans.length).toBeGreaterThan(20);
    expect(booleans.filter((schema) => "anyOf" in schema || "enum" in schema)).toEqual([]);
  });

  test("requests.json is up to date", () => {
    expect(requests, "run `npm run openapi`").toEqual(requestShapes());
  });

  test("every method and path belongs to one operation", () => {
    const seen = allOperations.map(
      ({ operation }) => `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, "{}")}`,
    );
    expect(new Set(seen).size).toBe(seen.length);
  });

  test.each(allOperations)("$name declares its path parameters, its permission and its answer", ({ operation: op }) => {
    const inPath = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(op.params?.shape ?? {})).toEqual(inPath);
    expect(op.permission === undefined).toBe(op.credential === "public");
    expect(op.path).toMatch(/^\/(api|v1)\/|^\/(health|ready)$|^\/openapi\.json$/);
    expect(op.answer === undefined).toBe(op.status === 204);
  });

  test.each(allOperations.filter(({ operation: op }) => op.scope === "project" && op.params !== undefined))(
    "$name names the resource in its path, unless it belongs to monitoring",
    ({ operation: op }) => {
      expect(op.resource === undefined).toBe(op.tag === "Monitoring");
    },
  );

  test.each(allOperations)(
    "$name uses the case of its path family: lowerCamelCase in /v1, snake_case in /api",
    ({ operation: op }) => {
      const names = [op.query, op.body === "otlp" ? undefined : op.body].flatMap((schema) =>
        Object.keys(schema?.shape ?? {}),
      );
      const wrong = op.path.startsWith("/v1/") ? /_/ : /[A-Z]/;
      expect(names.filter((name) => wrong.test(name))).toEqual([]);
    },
  );

  test.each(allOperations)("$name lists every status that it can answer", ({ name, operation: op }) => {
    const { responses } = document.paths[op.path]![op.method.toLowerCase()]!;
    const wanted = [
      op.status,
      ...Object.keys(op.alsoStatus ?? {}),
      ...errorCodesOf(op).map((code) => ERRORS[code].status),
    ];
    expect(Object.keys(responses).sort(), name).toEqual([...new Set(wanted.map(String))].sort());
  });

  test.each(Object.entries(ERRORS))("the error code %s has a meaning for people", (code, { status, meaning }) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(meaning.length).toBeGreaterThan(20);
  });
});

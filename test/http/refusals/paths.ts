import { allOperations, type Operation } from "@svc/contract";
import { INPUTS, type OperationName } from "../../support/operation-inputs.ts";
import { askOf } from "../../support/operation-request.ts";
import { unknownId } from "../../support/world.ts";
import { adminCredential, bareAsk, type Row } from "./row.ts";

const unknownPaths: Row[] = [
  "/",
  "/api",
  "/v1",
  "/api/nothing",
  "/v1/tests/x/nothing",
  "/v2/traces",
  "/%2e%2e/etc/passwd",
  "/api/tests/x%00/y",
].flatMap((path) =>
  ["GET", "POST"].map((method) => ({
    name: `${method} ${path}`,
    code: "not_found" as const,
    ask: (w) => ({ method, path, key: w.adminKey }),
  })),
);

const unknownIds: Row[] = allOperations
  .filter(({ operation: op }) => op.params !== undefined && op.credential !== "public")
  .flatMap(({ name, operation: op }) =>
    [
      "x",
      unknownId("tst"),
      unknownId("key"),
      "%",
      "\u0000",
      "../x",
      "a/b",
      "🦄",
      "' OR 1=1 --",
      "__proto__",
      "x".repeat(5_000),
    ].map((id) => ({
      name: `${name} of ${JSON.stringify(id.slice(0, 40))}`,
      code: "not_found" as const,
      ask: async (w) => {
        const input = await INPUTS[name as OperationName](w);
        const ids = Object.fromEntries(Object.keys(op.params!.shape).map((param) => [param, id]));
        const project = "projectId" in op.params!.shape ? {} : { projectId: w.project.id };
        return { ...askOf(op, { project: w.project.id, ...project, ...input, ...ids }), ...adminCredential(w, op) };
      },
    })),
  );

const brokenEscape: Row[] = ["/api/tests/%E0%A4%A", "/api/tests/%", "/v1/runs/%zz"].map((path) => ({
  name: `GET ${path}`,
  code: "not_found",
  ask: (w) => ({ method: "GET", path, key: w.projectKey }),
}));

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const otherMethods: Row[] = [...new Set(allOperations.map(({ operation }) => operation.path))].flatMap((path) => {
  const here = allOperations.map(({ operation }) => operation).filter((op) => op.path === path || isAValueOf(op, path));
  const served = new Set<string>(here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])));
  return METHODS.filter((method) => !served.has(method)).map((method) => ({
    name: `${method} ${path}`,
    code: "method_not_allowed" as const,
    headers: { allow: [...served].sort().join(", ") },
    ask: (w) => ({ method, path: bareAsk(here.find((op) => op.path === path)!).path, key: w.adminKey }),
  }));
});

/** Returns whether the fixed path of one operation can be a parameter value of this operation, such as the name of a platform. */
function isAValueOf(op: Operation, path: string): boolean {
  return op.resource === undefined && new RegExp(`^${op.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
}

export const paths: Row[] = [...unknownPaths, ...unknownIds, ...brokenEscape, ...otherMethods];

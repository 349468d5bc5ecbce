import { readFileSync } from "node:fs";
import { allOperations } from "@svc/contract";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { jsonOf, send } from "../support/request.ts";
import { bareAsk } from "./refusals/row.ts";

let service: Awaited<ReturnType<typeof openBareService>>;
beforeAll(async () => {
  service = await openBareService();
});
afterAll(() => service.stop());

const served = async () =>
  jsonOf<Record<string, object>>(await send(service.url, { method: "GET", path: "/openapi.json" }));

test("the service returns the committed OpenAPI document, which is valid and contains no address", async () => {
  const document = await served();
  expect(document).toEqual(JSON.parse(readFileSync("packages/contract/openapi.json", "utf8")));
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(document.servers).toEqual([{ url: "/" }]);
});

/** Schemas that accept unknown members on purpose: the OpenAPI document itself, an OTLP body and JSON of users. */
const OPEN = [/^\/paths\/~openapi\.json/, /^\/paths\/~v1~traces\/post\/requestBody/, /\/details$/];

test("every object of a request or an answer refuses unknown members", async () => {
  const open: string[] = [];
  const walk = (value: unknown, at: string) => {
    if (value === null || typeof value !== "object") return;
    const schema = value as { type?: unknown; properties?: unknown; additionalProperties?: unknown };
    const isObject = schema.type === "object" && schema.properties !== undefined;
    if (isObject && schema.additionalProperties !== false && !OPEN.some((path) => path.test(at))) open.push(at);
    for (const [key, inner] of Object.entries(value)) walk(inner, `${at}/${key.replaceAll("/", "~")}`);
  };
  const { paths, components } = await served();
  walk({ paths, components }, "");
  expect(open).toEqual([]);
});

describe.each(allOperations)("$name", ({ operation: op }) => {
  test("the operation is served under its documented method and path", async () => {
    const reply = await send(service.url, bareAsk(op));
    expect([404, 405, 500, 501]).not.toContain(reply.status);
    const hasTokenOfItsOwn = op.credential === "public" && op.errors?.includes("not_authenticated") === true;
    if (!hasTokenOfItsOwn) expect(reply.status === 401).toBe(op.credential !== "public");
  });
});

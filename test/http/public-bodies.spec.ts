import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { allOperations, bodyBytesOf, LIMITS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Routes } from "../../packages/server/src/http/operation.ts";
import { openBareService } from "../support/bare-service.ts";
import { freshAddress, send } from "../support/request.ts";
import { bareAsk, type Named } from "./refusals/row.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
/** More requests than any public operation allows one network in a minute. */
const REQUESTS_MAX = 700;

const takingBodies: Named[] = allOperations.filter(
  ({ operation }) => operation.credential === "public" && operation.body !== undefined,
);
const counted = takingBodies.filter(({ name }) => name !== "simulations.useTool");

let service: Awaited<ReturnType<typeof openBareService>>;
beforeAll(async () => {
  service = await openBareService();
});
afterAll(() => service.stop());

/** Sends the headers of a request but no byte of its body, and returns the answer. */
async function answerToHeaders(path: string, bytes: number, headers: Record<string, string>) {
  const asked = request(`${service.url}${path}`, {
    method: "POST",
    headers: { "content-type": JSON_TYPE, "content-length": String(bytes), ...headers },
  });
  asked.on("error", () => undefined); // the service may close the connection before it has the body
  asked.flushHeaders();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const body = await text(answer);
  asked.destroy();
  return { status: answer.statusCode, body, headers: answer.headers };
}

const chunksOf = (bytes: Buffer) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 4_096) controller.enqueue(bytes.subarray(at, at + 4_096));
      controller.close();
    },
  });

test("a public operation reads at most 16 KiB, but for mock tools, whose caller shows a token first", () => {
  const others = takingBodies.filter(({ operation }) => bodyBytesOf(operation) !== LIMITS.publicBodyBytes);
  expect(others.map(({ name }) => name)).toEqual(["simulations.useTool"]);
  expect(LIMITS.publicBodyBytes).toBe(16 * 1024);
});

test("the types demand that a public operation with a body decides before it reads the body", () => {
  const handle = () => Promise.reject(new Error("not asked"));
  // @ts-expect-error: a public operation with a body needs more than a bare handler.
  const bare: Pick<Routes<"device">["device"], "code"> = { code: handle };
  // @ts-expect-error: a handler of a public operation with a body needs `admit`.
  const withoutAdmit: Pick<Routes<"device">["device"], "code"> = { code: { handle } };
  const admitted: Pick<Routes<"device">["device"], "code"> = { code: { admit: () => undefined, handle } };
  expect([bare, withoutAdmit, admitted]).toHaveLength(3);
});

describe.each(counted.map((named) => [named.name, named] as const))("%s", (_, { operation }) => {
  const { path } = bareAsk(operation);
  const types = operation.acceptsForm ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE];

  test("a public operation refuses a body of more than 16 KiB before it reads any of it, and counts the request", async () => {
    const headers = { "x-forwarded-for": freshAddress() };
    const statuses: unknown[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < REQUESTS_MAX) {
      const answer = await answerToHeaders(path, LIMITS.publicBodyBytes + 1, headers);
      statuses.push(answer.status);
      if (answer.status === 413) expect(answer.body).toContain("larger than 16 KiB");
    }
    expect(statuses.length).toBeGreaterThan(5);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([413]));
    expect(statuses.at(-1)).toBe(429);
  });

  test("a public operation answers a request over the limit before it reads any of its body", async () => {
    const headers = { "x-forwarded-for": freshAddress() };
    for (let sent = 0; sent < REQUESTS_MAX; sent++) {
      const { status } = await send(service.url, { method: "POST", path, headers, json: { unknown: sent } });
      if (status === 429) break;
      expect(status).toBe(400);
    }
    const { status, body, headers: answered } = await answerToHeaders(path, 10_000, headers);
    expect({ status, body }).toMatchObject({ status: 429, body: expect.stringContaining("too_many_requests") });
    expect(answered["retry-after"]).toMatch(/^[1-9]\d*$/);
  });

  test.each(types)(
    "a public operation refuses a body of %s that grows over 16 KiB without a declared length",
    async (type) => {
      const body = chunksOf(Buffer.alloc(LIMITS.publicBodyBytes + 1, "a"));
      const reply = await send(service.url, { method: "POST", path, headers: { "content-type": type }, body });
      expect({ status: reply.status, text: reply.text }).toMatchObject({
        status: 413,
        text: expect.stringContaining("16 KiB"),
      });
    },
  );

  test.each(types)("a public operation reads a body of %s of 16 KiB", async (type) => {
    const start = type === JSON_TYPE ? '{"unknown":"' : "client_id=";
    const end = type === JSON_TYPE ? '"}' : "";
    const body = start + "x".repeat(LIMITS.publicBodyBytes - start.length - end.length) + end;
    const reply = await send(service.url, { method: "POST", path, headers: { "content-type": type }, body });
    expect([400, 422]).toContain(reply.status);
  });
});

test("a call of a mock tool with a token that the service did not issue is refused before its body is read", async () => {
  const path = "/v1/simulations/sim_06ft2v8xk3n9q4w7r1y5z0abcd/tools/look_up";
  const before = await answerToHeaders(path, LIMITS.jsonBodyBytes, {});
  const withToken = await answerToHeaders(path, LIMITS.jsonBodyBytes, { authorization: "Bearer wrong" });
  const whole = await send(service.url, { method: "POST", path, key: "wrong", json: { arguments: {} } });
  expect(before).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
  expect([before.body, withToken.body]).toEqual([whole.text, whole.text]);
  expect(JSON.parse(whole.text)).toEqual({
    error: "not_authenticated",
    message:
      "Send the token of a simulation that is under way, as `Authorization: Bearer …`; each message to the agent carries it.",
  });
});

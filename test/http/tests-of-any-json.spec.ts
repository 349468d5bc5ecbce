import { operations } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../support/request.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
const bytesOf = async (path: string) => (await send(server.url, { method: "GET", path, key: server.projectKey })).text;

describe("any JSON as a new test", () => {
  const body = operations.tests.create.body;
  const wild = fc.jsonValue({ maxDepth: 6 });
  const text = fc.string({ unit: "binary", maxLength: 40 });
  const nearlyATest = fc.record(
    {
      name: fc.oneof(text, wild),
      scenario: fc.oneof(text, wild),
      expected_behaviors: fc.oneof(fc.array(fc.oneof(text, wild), { maxLength: 5 }), wild),
      personas: fc.oneof(fc.array(fc.constantFrom("calm", "hurried", "nobody", ""), { maxLength: 3 }), wild),
      mock_tools: fc.oneof(fc.array(fc.record({ tool: text, answer: wild }), { maxLength: 3 }), wild),
      suite: fc.oneof(fc.constantFrom("Default", ""), wild),
    },
    { requiredKeys: ["name", "scenario", "expected_behaviors"] },
  );
  const post = (sent: string) =>
    send(server.url, {
      method: "POST",
      path: "/api/tests",
      key: server.projectKey,
      body: sent,
      headers: { "content-type": "application/json" },
    });

  test("any JSON as a new test creates a test or is refused; it never causes a fault", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(wild, nearlyATest), async (value) => {
        const { status, text } = await post(JSON.stringify(value));
        expect({ status, text }).toMatchObject({ status: expect.toBeOneOf([201, 400, 409, 422]) });
        if (!body.safeParse(value).success) expect(status).not.toBe(201);
      }),
      { numRuns: 400 },
    );
  });

  test("any JSON as a new test reads back byte for byte if the test was created", async () => {
    const valid = fc.record({
      scenario: text,
      expected_behaviors: fc.array(text, { minLength: 1, maxLength: 3 }),
      answer: wild,
    });
    await fc.assert(
      fc.asyncProperty(valid, async ({ answer, ...content }) => {
        const sent = JSON.stringify({ name: freshName("any"), ...content, mock_tools: [{ tool: "t", answer }] });
        const { status, text } = await post(sent);
        if (status !== 201) return;
        expect(await bytesOf(`/api/tests/${(JSON.parse(text) as { id: string }).id}`)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    [
      "arrays in a mock tool's answer",
      (deep: string) =>
        `{"name":"deep","scenario":"x","expected_behaviors":["x"],"mock_tools":[{"tool":"t","answer":${deep}}]}`,
    ],
    ["arrays where text is expected", (deep: string) => `{"name":${deep},"scenario":"x","expected_behaviors":["x"]}`],
    ["arrays as a behavior", (deep: string) => `{"name":"deep","scenario":"x","expected_behaviors":[${deep}]}`],
    ["arrays alone", (deep: string) => deep],
  ])("half a million nested %s are refused", async (_, bodyOf) => {
    for (const depth of [7_000, 100_000, 500_000]) {
      const { status, text } = await post(bodyOf("[".repeat(depth) + "]".repeat(depth)));
      expect({ status, text }).toMatchObject({ status: expect.toBeOneOf([400, 422]) });
    }
  });
});

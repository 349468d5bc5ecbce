import { LIMITS } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aConnection, freshName } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const newAgent = async () => (await server.client.agents.register({ name: freshName("agent") })).agent;
const add = async (more: object = {}, agentId?: string) =>
  (
    await server.client.connections.create({
      ...aConnection(),
      ...more,
      agentId: agentId ?? (await newAgent()).id,
    })
  ).connection;

describe("an address", () => {
  const withUrl = (url: string) =>
    server.client.connections.create({ agentId, ...aConnection(), config: { url, format: "openai" } });
  let agentId: string;
  beforeAll(async () => {
    agentId = (await newAgent()).id;
  });

  test.each([
    "agent.example.test/chat",
    "ftp://agent.example.test",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "wss://agent.example.test",
    "https://",
    "https://ana:secret@agent.example.test",
    "https://ana@agent.example.test",
    "//agent.example.test",
    `https://agent.example.test/${"x".repeat(2_000)}`,
  ])("%s is refused", async (url) => {
    await expect(withUrl(url)).rejects.toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "config.url" }] },
    });
  });

  test("every URL is either stored as an http address without a user name, or refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.webUrl(), fc.webUrl({ withFragments: true })), async (url) => {
        const made = await withUrl(url).catch((error: { code: string }) => error);
        if ("code" in made) {
          expect(made.code).toBe("unprocessable");
          return;
        }
        const kept = new URL((made.connection.config as { url: string }).url);
        expect(kept.protocol).toMatch(/^https?:$/);
        expect([kept.username, kept.password]).toEqual(["", ""]);
        const { agentId, id: connectionId } = made.connection;
        await server.client.connections.archive({ agentId, connectionId });
      }),
      { numRuns: 30 },
    );
  });
});

describe("bounds", () => {
  test("a phone number is E.164", async () => {
    const call = (phoneNumber: string) =>
      add({ connectionType: "phone_number", accessVariant: undefined, config: { phoneNumber }, credential: undefined });
    expect((await call("+12025550123")).accessVariant).toBe("phone_number.public_e164");
    for (const wrong of ["12025550123", "+0 202", "+1-202-555-0123", "+1234", "+1234567890123456", "+٣٤٥٦٧٨٩"])
      await expect(call(wrong)).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("a config is at most 15 KiB of JSON, counted in bytes", async () => {
    const dispatch = (metadata: string) =>
      add({
        connectionType: "platform_b_room",
        accessVariant: "platform_b_room.project_credentials",
        config: { url: "wss://media.example.test", metadata },
        credential: { apiKey: "12345678", apiSecret: "12345678" },
      });
    await dispatch("x".repeat(LIMITS.connectionConfigBytes - 200));
    for (const metadata of ["x".repeat(LIMITS.connectionConfigBytes), "ü".repeat(LIMITS.connectionConfigBytes / 2)])
      await expect(dispatch(metadata)).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("headers are valid HTTP headers and cannot change the request", async () => {
    const withHeaders = (headers: unknown) =>
      add({
        connectionType: "platform_b_room",
        accessVariant: "platform_b_room.customer_token_endpoint",
        config: { url: "wss://media.example.test", tokenEndpoint: "https://tokens.example.test/room" },
        credential: { headers },
      });
    expect(await withHeaders({ "X-Key": "0123456789" })).toMatchObject({ credentialsHint: "6789" });
    const wrong = [
      {},
      { "X-Key": "short" },
      { "X-Key": "0123456789\r\nX-Other: 1" },
      { "X Key": "0123456789" },
      { "": "0123456789" },
      { Host: "0123456789" },
      { "X-Key": "ключ-ключ-ключ" },
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, "0123456789"])),
    ];
    for (const headers of wrong) await expect(withHeaders(headers)).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("an agent of one platform refuses a connection of another platform", async () => {
    const { agent } = await server.client.agents.register({ name: freshName("agent"), agentPlatform: "platform_a" });
    const body = { connectionType: "platform_b_console" as const, config: { command: "node agent.js" } };
    await expect(server.client.connections.create({ agentId: agent.id, ...body })).rejects.toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "connectionType" }] },
    });
    expect((await add({}, agent.id)).agentPlatform).toBe("platform_a");
  });
});

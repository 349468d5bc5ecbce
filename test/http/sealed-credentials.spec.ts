import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Log } from "@svc/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSealing } from "../../packages/server/src/base/secrets/sealing.ts";
import { createSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import { openBareService } from "../support/bare-service.ts";
import { openStoreOf } from "../support/engine.ts";
import { openHome } from "../support/cli.ts";
import { signUp } from "../support/people.ts";
import { startServer } from "../support/server.ts";
import { keySettings } from "../support/secret.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { needsProcess } from "../support/in-process.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const newKey = () => randomBytes(32).toString("base64url");

test("no answer, log line or store ever contains a credential in clear", async (context) => {
  needsProcess(context);
  const lines: unknown[] = [];
  const note = (...line: unknown[]) => void lines.push(line);
  const log = { info: note, warn: note, error: note } as Log;
  const service = await openBareService({ SVC_DATA_DIR: dataDir, SVC_TRUST_PROXY: "false" }, log);
  const answers: string[] = [];
  const secrets = Array.from({ length: 7 }, () => `secret-${randomBytes(12).toString("hex")}`);
  try {
    const { key } = await signUp(service.url, "founder@acme.test");
    const ask = async (method: string, path: string, body?: object): Promise<Record<string, { id: string }>> => {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      answers.push(text, JSON.stringify([...response.headers]));
      return (text === "" ? {} : JSON.parse(text)) as Record<string, { id: string }>;
    };
    const chat = { url: "https://agent.example.test", format: "openai" };
    const connection = {
      connectionType: "http_chat",
      accessVariant: "http_chat.bearer",
      config: chat,
      credential: { apiKey: secrets[0] },
    };
    const { agent, connection: made } = await ask("POST", "/v1/agents", { name: "Front desk", connection });
    const agentPath = `/v1/agents/${agent!.id}`;
    const path = `${agentPath}/connections/${made!.id}`;
    await ask("POST", `${agentPath}/connections`, {
      connectionType: "platform_b_room",
      accessVariant: "platform_b_room.customer_token_endpoint",
      config: { url: "wss://media.example.test", tokenEndpoint: "https://tokens.example.test" },
      credential: { headers: { Authorization: secrets[1] } },
    });
    await ask("PATCH", path, { credential: { apiKey: secrets[2] } });
    const trunk = { name: "Carrier", address: "sip.example.test", callerId: "1001" };
    const { trunk: carrier } = await ask("POST", "/v1/trunks", {
      ...trunk,
      credential: { user: "acme", password: secrets[5] },
    });
    await ask("PATCH", `/v1/trunks/${carrier!.id}`, { credential: { user: "acme", password: secrets[6] } });
    await ask("GET", "/v1/trunks");
    // These requests have a secret in a wrong place, and the service refuses them.
    await ask("PATCH", path, { credential: { apiKey: `${secrets[3]} with spaces`, [secrets[4]!]: "x" } });
    await ask("PATCH", path, { config: { ...chat, [secrets[3]!]: secrets[4] } });
    await ask("PATCH", path, {
      config: { ...chat, url: `https://ana:${secrets[3]}@example.test`, format: secrets[4] },
    });
    for (const [method, at] of [
      ["GET", path],
      ["POST", `${path}/archive`],
      ["GET", `${agentPath}/connections?archived=true`],
      ["POST", `${path}/restore`],
      ["POST", `${agentPath}/archive`],
      ["POST", "/v1/organization/reseal"],
    ] as const)
      await ask(method, at, method === "POST" ? {} : undefined);
    expect(answers.join("\n")).toContain(`"credentialsHint":"${secrets[2]!.slice(-4)}"`);
    for (const secret of secrets) expect(await placesWith(dataDir, secret)).toEqual({});
  } finally {
    await service.stop();
  }
  expect(lines.length).toBeGreaterThan(10);
  const told = [...answers, inspect(lines, { depth: 10, maxStringLength: null, maxArrayLength: null })].join("\n");
  expect(await placesWith(dataDir, "Front desk")).not.toEqual({});
  for (const secret of secrets) {
    expect(told).not.toContain(secret);
    expect(await placesWith(dataDir, secret)).toEqual({});
  }
});

test("keys rotate: both keys open an older envelope, and after a reseal the newer key alone suffices", async () => {
  const [older, newer] = [newKey(), newKey()];
  const keys = keySettings();
  const start = (SVC_ENCRYPTION_KEY: string) => startServer({ dataDir, settings: { ...keys, SVC_ENCRYPTION_KEY } });
  const credential = { apiKey: "APIabcdefgh", apiSecret: "s3cr3t-s3cr3t" };

  let server = await start(older);
  const { agent, connection } = await server.client.agents.register({
    name: "Front desk",
    connection: {
      connectionType: "platform_b_room",
      config: { url: "wss://media.example.test" },
      credential,
    },
  });
  const ids = { agentId: agent.id, connectionId: connection!.id };
  expect(await server.admin.organization.reseal()).toEqual({ resealed: 0, current: 1, unreadable: 0 });
  await server.stop();

  server = await start(`${newer},${older}`);
  expect(await openedWith(`${newer},${older}`)).toEqual(credential);
  expect(await server.admin.organization.reseal()).toEqual({ resealed: 1, current: 0, unreadable: 0 });
  expect(await server.admin.organization.reseal()).toEqual({ resealed: 0, current: 1, unreadable: 0 });
  await server.stop();

  server = await start(newer);
  expect(await openedWith(newer)).toEqual(credential);
  expect(await openedWith(older)).toBeUndefined();
  expect(await server.admin.organization.reseal()).toEqual({ resealed: 0, current: 1, unreadable: 0 });
  expect((await server.client.connections.get(ids)).connection).toEqual(connection);
  await server.stop();

  server = await start(newKey());
  const home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
  try {
    expect(await server.admin.organization.reseal()).toEqual({ resealed: 0, current: 0, unreadable: 1 });
    const { exitCode, stdout } = await home.svc(["reseal"]);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining("1 credential cannot be opened")]);

    await server.client.connections.edit({ ...ids, credential });
    expect((await home.svc(["reseal"])).exitCode).toBe(0);
  } finally {
    home.remove();
    await server.stop();
  }

  /** Decrypts the connection's stored credential with these keys. */
  async function openedWith(material: string): Promise<unknown> {
    const relational = await openStoreOf(dataDir);
    try {
      const secret = await createSealedCredentials(relational.db, createSealing(material)).open(connection!.id);
      return secret && JSON.parse(secret);
    } finally {
      await relational.close();
    }
  }
});

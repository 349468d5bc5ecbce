import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawsOfCases } from "./support/long-form.ts";
import { startServer } from "./support/server.ts";
import { keySettings } from "./support/secret.ts";
import { aConnection } from "./support/world.ts";
import { readOrCreateSecret } from "../packages/server/src/base/secrets/secrets.ts";

const casesOf = drawsOfCases();
let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

test("the service creates its secret once, readable only by its owner, and leaves no other file", () => {
  const made = readOrCreateSecret(dataDir, "made", undefined);
  expect(made).toMatch(/^[\w-]{64}$/);
  expect(readOrCreateSecret(dataDir, "made", undefined)).toBe(made);
  expect(statSync(join(dataDir, "made")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(["made"]);
});

test("a setting replaces the stored secret and is not stored", () => {
  expect(readOrCreateSecret(dataDir, "set", "given")).toBe("given");
  expect(readdirSync(dataDir)).not.toContain("set");
});

test.each(["", "\n", "half of a sec"])(
  "a file with the content %j is refused as a secret and stops the start",
  (content) => {
    writeFileSync(join(dataDir, "spoilt"), content);
    expect(() => readOrCreateSecret(dataDir, "spoilt", undefined)).toThrow(
      /spoilt contains no valid secret\. Restore it.*Removing it creates/,
    );
  },
);

test("a half-written file of an interrupted start is replaced", () => {
  writeFileSync(join(dataDir, "late.new"), "half of a sec");
  expect(readOrCreateSecret(dataDir, "late", undefined)).toMatch(/^[\w-]{64}$/);
});

test("a secret of the data folder that was damaged, replaced or lost stops the start, and its remedy works", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const keys = keySettings();
  const start = (settings = {}) => startServer({ dataDir: folder, settings: { ...keys, ...settings } });
  const server = await start();
  await server.client.agents.register({ name: "Front desk", connection: aConnection() });
  await server.stop();

  const encryptionKey = join(folder, "encryption-key");
  const key = readFileSync(encryptionKey, "utf8");
  const places = Array.from({ length: Math.ceil(key.length / 7) }, (_, n) => 7 * n);
  for (const at of casesOf(places, 2)) {
    writeFileSync(encryptionKey, key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1));
    await expect(start()).rejects.toThrow(/encryption-key is damaged or was replaced: it does not open 1 stored cred/);
  }
  rmSync(encryptionKey);
  await expect(start()).rejects.toThrow(/encryption-key is missing: it opens 1 stored credential\. Restore it/);
  expect(existsSync(encryptionKey)).toBe(false);
  const other = await start({ SVC_ENCRYPTION_KEY: "k".repeat(40) });
  const { conditions } = await other.admin.conditions.list();
  expect(conditions.map(({ code }) => code)).toEqual(["encryption_key_missing"]);
  await other.stop();
  writeFileSync(encryptionKey, `${"n".repeat(40)}\n${key}`);
  await (await start()).stop();

  const authSecret = join(folder, "auth-secret");
  const secret = readFileSync(authSecret, "utf8");
  writeFileSync(authSecret, secret.replace(secret[5]!, secret[5] === "x" ? "y" : "x"));
  await expect(start()).rejects.toThrow(/auth-secret is damaged or was replaced: .* remove it to create a new one/);
  rmSync(authSecret);
  await (await start()).stop();
  await (await start()).stop();
  rmSync(folder, { recursive: true });
});

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keptSecret } from "../packages/server/src/secrets.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

test("the service's secret is made once, is readable by its owner only, and leaves no other file", () => {
  const made = keptSecret(dataDir, "made", undefined);
  expect(made).toMatch(/^[\w-]{64}$/);
  expect(keptSecret(dataDir, "made", undefined)).toBe(made);
  expect(statSync(join(dataDir, "made")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(["made"]);
});

test("a setting replaces the secret and is not written to disk", () => {
  expect(keptSecret(dataDir, "set", "given")).toBe("given");
  expect(readdirSync(dataDir)).not.toContain("set");
});

test.each(["", "\n", "half of a sec"])("a secret file with the content %j stops the start", (content) => {
  writeFileSync(join(dataDir, "spoilt"), content);
  expect(() => keptSecret(dataDir, "spoilt", undefined)).toThrow(/spoilt holds no secret.*restore it.*or remove it/);
});

test("a temporary file from an interrupted start does not block the next start", () => {
  writeFileSync(join(dataDir, "late.new"), "half of a sec");
  expect(keptSecret(dataDir, "late", undefined)).toMatch(/^[\w-]{64}$/);
});

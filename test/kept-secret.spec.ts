import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOrCreateSecret } from "../packages/server/src/secrets.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

test("the service's own secret is made once, for its owner's eyes only, and nothing is left beside it", () => {
  const made = readOrCreateSecret(dataDir, "made", undefined);
  expect(made).toMatch(/^[\w-]{64}$/);
  expect(readOrCreateSecret(dataDir, "made", undefined)).toBe(made);
  expect(statSync(join(dataDir, "made")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(["made"]);
});

test("a setting is taken instead, and is not kept", () => {
  expect(readOrCreateSecret(dataDir, "set", "given")).toBe("given");
  expect(readdirSync(dataDir)).not.toContain("set");
});

test.each(["", "\n", "half of a sec"])("a file that holds %j is no secret and stops the start", (content) => {
  writeFileSync(join(dataDir, "spoilt"), content);
  expect(() => readOrCreateSecret(dataDir, "spoilt", undefined)).toThrow(
    /spoilt holds no secret.*restore it.*or remove it/,
  );
});

test("what a start that was cut short left beside it does not stand in the way", () => {
  writeFileSync(join(dataDir, "late.new"), "half of a sec");
  expect(readOrCreateSecret(dataDir, "late", undefined)).toMatch(/^[\w-]{64}$/);
});

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

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BATTERIES } from "../scripts/batteries.ts";
import { FAULTS } from "../scripts/faults.ts";

const ROOT = join(import.meta.dirname, "..");

test("each battery has a fault that it must find, and each fault is of a battery", () => {
  expect(new Set(FAULTS.map(({ battery }) => battery))).toEqual(new Set(BATTERIES.map(({ script }) => script)));
});

test.each(FAULTS)("the text to break occurs once: $breaks", ({ file, search, replacement }) => {
  expect(readFileSync(join(ROOT, file), "utf8").split(search)).toHaveLength(2);
  expect(replacement).not.toBe(search);
});

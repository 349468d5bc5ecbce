import { expect, test } from "vitest";
import { vitestNeeds } from "../../packages/sdk/src/vitest-needs.ts";

const ENGINES: Record<string, string> = {
  "2.1.9": "^18.0.0 || >=20.0.0",
  "3.2.7": "^18.0.0 || ^20.0.0 || >=22.0.0",
  "4.1.12": "^20.0.0 || ^22.0.0 || >=24.0.0",
  "5.1.1": "^22.12.0 || ^24.0.0 || >=26.0.0",
};

test.each([
  ["2.1.9", "20.20.2", undefined],
  ["3.2.7", "20.20.2", undefined],
  ["4.1.12", "20.20.2", undefined],
  ["4.1.12", "26.1.0", undefined],
  [
    "5.1.1",
    "20.20.2",
    /^Vitest 5\.1\.1 needs Node \^22\.12\.0 .* and this is Node 20\.20\.2: use a newer Node, or Vitest 4/,
  ],
  ["5.1.1", "22.11.9", /and this is Node 22\.11\.9/],
  ["5.1.1", "22.12.0", undefined],
  ["5.1.1", "22.13.0", undefined],
  ["5.1.1", "24.21.0", undefined],
  ["5.1.1", "25.0.0", /and this is Node 25\.0\.0/],
  ["1.6.1", "20.20.2", /^@svc\/sdk\/vitest needs Vitest 2 or newer, and this is Vitest 1\.6\.1: update it/],
])("the helper for Vitest %s on Node %s says what it needs", (version, node, message) => {
  const needs = vitestNeeds({ version, engines: { node: ENGINES[version]! } }, node);
  if (message === undefined) expect(needs).toBeUndefined();
  else expect(needs).toMatch(message);
});

test("the helper says nothing about a range whose form it does not know", () => {
  expect(vitestNeeds({ version: "6.0.0", engines: { node: "24.x" } }, "20.0.0")).toBeUndefined();
  expect(vitestNeeds({ version: "6.0.0" }, "20.0.0")).toBeUndefined();
});

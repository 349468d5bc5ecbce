import { PAGE_PATHS } from "@svc/contract/constants";
import { expect, test } from "vitest";
import { paletteEntries } from "../../packages/web/src/shell/palette/entries.ts";

const content = {
  params: { organizationId: "org_1", project: "desk" },
  canWrite: true,
  tests: [{ id: "tst_1", name: "Books a room" }],
  agents: [{ id: "agt_1", name: "Front desk" }],
  runs: [{ id: "run_1", name: null, agentName: "Front desk" }],
};

test("every entry of the palette leads to a page that exists", () => {
  const entries = paletteEntries("", content);
  expect(entries.length).toBeGreaterThan(15);
  const paths = new Set(PAGE_PATHS);
  expect(entries.map(({ to }) => to.replaceAll(/\$(\w+)/g, "{$1}")).filter((path) => !paths.has(path))).toEqual([]);
});

test("every word of the text occurs in an entry, in any order and case", () => {
  const labels = (text: string) => paletteEntries(text, content).map(({ group, label }) => `${group}: ${label}`);
  expect(labels("ROOM books")).toEqual(["Tests: Books a room", "Conversations: Search what was said: “ROOM books”"]);
  expect(labels("front")).toContain("Agents: Front desk");
  expect(labels("front")).toContain("Runs: Front desk");
});

test("a viewer is offered nothing to create", () => {
  expect(paletteEntries("", { ...content, canWrite: false }).filter(({ group }) => group === "Do")).toEqual([]);
});

test("a text without a match still searches conversations", () => {
  expect(paletteEntries("  zyx ", content)).toMatchObject([{ search: { search: "zyx" } }]);
});

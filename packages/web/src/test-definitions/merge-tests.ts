import { joined, type Merge, mergeList, mergeRecords, mergeSet, mergeValue } from "../editing/merge.ts";
import { type TestContent, type TestMockTool, tidied } from "./test-content.ts";

export function mergeTests(base: TestContent, draft: TestContent, theirs: TestContent): Merge<TestContent> {
  const mine = tidied(draft);
  const sides = <K extends keyof TestContent>(part: K) => ({
    base: base[part],
    mine: mine[part],
    theirs: theirs[part],
  });
  const lines = { base: linesOf(base.scenario), mine: linesOf(mine.scenario), theirs: linesOf(theirs.scenario) };
  const name = mergeValue("name", "Name", sides("name"));
  const scenario = mergeList("scenario", { item: "Scenario line" }, lines);
  const behaviors = mergeList("behaviors", { item: "Behavior", keepsBothAdditions: true }, sides("behaviors"));
  const personas = mergeSet("Persona", sides("personas"));
  const mockTools = mergeRecords("mockTools", "Mock tool", ({ tool }) => tool, sides("mockTools"), mockToolLines);
  return {
    ...joined([name, scenario, behaviors, personas, mockTools]),
    result: (choices) => ({
      name: name.result(choices),
      scenario: scenario.result(choices).join("\n"),
      behaviors: behaviors.result(choices),
      personas: personas.result(choices),
      mockTools: mockTools.result(choices),
    }),
  };
}

const linesOf = (text: string): string[] => text.split("\n");

const mockToolLines = ({ tool: _, ...mock }: TestMockTool): string[] => JSON.stringify(mock, null, 2).split("\n");

import { Flags } from "@oclif/core";
import type { Answer, Input, Operations } from "@svc/contract";
import { jsonOf } from "./input.ts";
import { counted, facts, hang, oneLine } from "./output.ts";
import { usage } from "./refusal.ts";

type Test = Answer<Operations["tests"]["get"]>;
type Content = Pick<Test, "scenario" | "expected_behaviors" | "personas" | "mock_tools">;
type MockTools = NonNullable<Input<Operations["tests"]["create"]>["mock_tools"]>;

export const scenarioFlag = {
  description: "Who calls, why, and what they know: text, @file, or - for standard input.",
  helpValue: "<text>",
};

/** Flags of a test's lists. */
export const contentFlags = () => ({
  behavior: Flags.string({
    description: "What the agent must do; give it once for each.",
    multiple: true,
    multipleNonGreedy: true,
  }),
  persona: Flags.string({
    description: "Name or id of a persona that calls; give it once for each.",
    multiple: true,
    multipleNonGreedy: true,
  }),
  "mock-tools": Flags.string({
    description: "JSON list of {tool, answer | error, delay_ms}: text, @file, or - for standard input.",
    helpValue: "<json>",
  }),
});

export async function mockToolsOf(value: string): Promise<MockTools> {
  const tools = await jsonOf(value, "--mock-tools");
  if (!Array.isArray(tools))
    throw usage('--mock-tools takes a list: [{"tool": "find_slots", "answer": {"slots": []}}].');
  return tools as MockTools;
}

/** A test's or a version's content, to be read. */
export function contentText({ scenario, expected_behaviors, personas, mock_tools }: Content): string {
  const list = (items: string[]) => items.map((item) => `- ${hang(item, 14)}`).join("\n");
  const tools = mock_tools.map(({ tool, answer, error, delay_ms }) => {
    const does = error === undefined ? `answers ${JSON.stringify(answer)}` : `fails: ${error}`;
    return `${tool} ${does}${delay_ms ? ` after ${delay_ms} ms` : ""}`;
  });
  return facts([
    ["Scenario", scenario],
    ["Behaviors", list(expected_behaviors)],
    ["Personas", personas.length > 0 ? personas.join(", ") : "the project's default persona"],
    ["Mock tools", tools.length > 0 ? list(tools) : "the project's"],
  ]);
}

export const versionText = ({ name, id, version, version_id }: Test): string =>
  `"${name}" (${id}) at version ${version} (${version_id}).`;

export const contentSummary = ({ scenario, expected_behaviors }: Content): string =>
  `${counted(expected_behaviors.length, "behavior")}: ${oneLine(scenario)}`;

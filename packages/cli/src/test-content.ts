import { Flags } from "@oclif/core";
import type { Answer, Input, Operations } from "@svc/contract";
import { repeatedFlag } from "./flags.ts";
import { jsonOf } from "./input.ts";
import { counted, facts, hang, oneLine } from "./output.ts";
import { usage } from "./refusal.ts";

type Test = Answer<Operations["tests"]["get"]>;
type TestContent = Pick<Test, "scenario" | "expected_behaviors" | "personas" | "mock_tools">;
type MockTools = NonNullable<Input<Operations["tests"]["create"]>["mock_tools"]>;

export const scenarioFlag = {
  description: "Who calls, why, and what the caller knows: text, @file, or - for standard input.",
  helpValue: "<text>",
};

/** Flags for a test's lists. */
export const contentFlags = () => ({
  behavior: repeatedFlag("A sentence that says what the agent should do."),
  persona: repeatedFlag("Id or exact name of a persona that calls."),
  "mock-tools": Flags.string({
    description: "JSON list of {tool, answer or error, delay_ms}: text, @file, or - for standard input.",
    helpValue: "<json>",
  }),
});

/** Returns the mock tools in a flag's value; refuses JSON that is not a list. */
export async function readMockTools(value: string): Promise<MockTools> {
  const tools = await jsonOf(value, "--mock-tools");
  if (!Array.isArray(tools))
    throw usage(
      '--mock-tools is not a JSON list. Write for example [{"tool": "find_slots", "answer": {"slots": []}}].',
    );
  return tools as MockTools;
}

/** Returns the content of a test or a test version as text. */
export function contentText({ scenario, expected_behaviors, personas, mock_tools }: TestContent): string {
  const list = (items: string[]) => items.map((item) => `- ${hang(item, 14)}`).join("\n");
  const tools = mock_tools.map(({ tool, answer, error, delay_ms }) => {
    const outcome = error === undefined ? `answers ${JSON.stringify(answer)}` : `fails: ${error}`;
    return `${tool} ${outcome}${delay_ms ? ` after ${delay_ms} ms` : ""}`;
  });
  return facts([
    ["Scenario", scenario],
    ["Behaviors", list(expected_behaviors)],
    ["Personas", personas.length > 0 ? personas.join(", ") : "the project's default persona"],
    ["Mock tools", tools.length > 0 ? list(tools) : "the project's mock tools"],
  ]);
}

/** `"Books a slot" (tst_…) at version 2 (tstv_…).` */
export const versionText = ({ name, id, version, version_id }: Test): string =>
  `"${name}" (${id}) at version ${version} (${version_id}).`;

/** `2 behaviors: Ada wants Monday.` */
export const contentSummary = ({ scenario, expected_behaviors }: TestContent): string =>
  `${counted(expected_behaviors.length, "behavior")}: ${oneLine(scenario)}`;

import { Flags } from "@oclif/core";
import type { Answer, Input, Operations } from "@svc/contract";
import { readCallerScript } from "@svc/contract/constants";
import { repeatedFlag } from "../flags.ts";
import { jsonOf } from "../terminal/input.ts";
import { outcomeText } from "./mock-tool-text.ts";
import { counted, facts, hang, oneLine } from "../terminal/output.ts";
import { judgeRemedy, readingsText } from "./reading-text.ts";
import { fit } from "../terminal/terminal-text.ts";
import { usage } from "../refusal.ts";

type Test = Answer<Operations["tests"]["get"]>;
type TestContent = Pick<Test, "scenario" | "expected_behaviors" | "readings" | "personas" | "mock_tools">;
type MockTools = NonNullable<Input<Operations["tests"]["create"]>["mock_tools"]>;

export const scenarioFlag = {
  description: "Who calls, why, and what the caller knows: text, @file, or - for standard input.",
  helpValue: "<text>",
};

export const contentFlags = () => ({
  behavior: repeatedFlag("A sentence that says what the agent should do."),
  says: repeatedFlag(
    "A line of the scripted caller, in order: words, or a condition in parentheses before them. See docs/callers.md.",
    "<line>",
  ),
  fact: repeatedFlag("A fact that the scripted caller gives when the agent asks for it.", "<name = value>"),
  persona: repeatedFlag("Id or exact name of a persona that calls."),
  "mock-tools": Flags.string({
    description: "JSON list of {tool, answer or error, delay_ms, succeeds_when}: text, @file, or - for standard input.",
    helpValue: "<json>",
  }),
});

export async function readMockTools(value: string): Promise<MockTools> {
  const tools = await jsonOf(value, "--mock-tools");
  if (!Array.isArray(tools))
    throw usage(
      '--mock-tools is not a JSON list. Write for example [{"tool": "find_slots", "answer": {"slots": []}}].',
    );
  return tools as MockTools;
}

export function contentText({ scenario, readings, personas, mock_tools }: TestContent): string {
  const list = (items: string[]) => items.map((item) => `- ${hang(item, 14)}`).join("\n");
  const tools = mock_tools.map(
    ({ tool, delay_ms: delayMs, succeeds_when: succeedsWhen, ...outcome }) =>
      `${tool} ${outcomeText({ ...outcome, delayMs, succeedsWhen })}`,
  );
  return facts([
    ["Scenario", scenario],
    ["Behaviors", readingsText(readings, 12)],
    ["Personas", personas.length > 0 ? personas.join(", ") : "the project's default persona"],
    ["Mock tools", tools.length > 0 ? list(tools) : "the project's mock tools"],
  ]);
}

/** Only a language model can play a scenario without lines for the caller. */
export const callerHint = ({ scenario }: Pick<Test, "scenario">): string =>
  readCallerScript(scenario).lines.length > 0
    ? ""
    : '\nThe scripted caller has no line in this test, so only a language model can play it. To play it without one, add lines with `svc tests edit --says "…"`.';

export const versionText = ({ name, id, version, version_id }: Test): string =>
  `"${name}" (${id}) at version ${version} (${version_id}).`;

export const writtenText = (verb: "Created" | "Edited", test: Test): string =>
  [`${verb} ${versionText(test)}`, readingsText(test.readings), judgeRemedy(test.readings)]
    .filter((part) => part !== undefined)
    .join("\n");

const SUMMARY_COLUMNS = 100;

/** Cuts the line even when the output is no terminal. */
export const contentSummary = ({
  scenario,
  expected_behaviors,
}: Pick<TestContent, "scenario" | "expected_behaviors">): string =>
  fit(`${counted(expected_behaviors.length, "behavior")}: ${oneLine(scenario)}`, SUMMARY_COLUMNS);

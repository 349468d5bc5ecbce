import type { ToolCall, Trace } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import { oneLine } from "../output.ts";
import { Refusal } from "../refusal.ts";
import type { TestFile } from "./test-file.ts";

const ARGUMENT_CHARACTERS_MAX = 100;
const ARGUMENTS_MAX = 6;
/** Other words need other turns: so many more than there were. */
const TURNS_MORE = 4;

/** A test of a conversation that took place, and what of it could not be taken along. */
type FromTrace = { test: TestFile; notes: string[] };

/** The caller says what was said then; the agent must call the tools that it called, which answer as they did. */
export function testFromTrace(trace: Trace, name: string | undefined): FromTrace {
  const notes: string[] = [];
  const lines = trace.turns.flatMap(({ role, text }) => (role === "user" && text !== null ? [oneLine(text)] : []));
  if (lines.length === 0)
    throw new Refusal("unprocessable", "What the caller said is not known, so that nothing can be said again.");
  if (trace.turns.some(({ role, text }) => role === "user" && text === null))
    notes.push("Some of what the caller said is not known and is left out.");
  const tools = Map.groupBy(
    trace.toolCalls.filter((call): call is ToolCall & { name: string } => call.name !== null),
    (call) => call.name,
  );
  const behaviors = [...tools].map(([tool, calls]) => behaviorOf(tool, calls[0]!.arguments));
  const mocks = [...tools].map(([tool, calls]) => mockOf(tool, calls));
  const missing = mocks.flatMap((mock) => ("missing" in mock ? [mock.missing] : []));
  if (missing.length > 0) notes.push(`What ${missing.join(", ")} answered is not known or too large: mock it by hand.`);
  const scenario = [
    `A caller says again what was said in the conversation ${trace.traceId}.`,
    "",
    "Caller says:",
    ...lines.map((line) => `- ${/^[("]/.test(line) ? `"${line}"` : line}`),
  ].join("\n");
  if (scenario.length > LIMITS.scenarioCharacters) notes.push("The conversation is long: the last lines are left out.");
  return {
    test: {
      name: name ?? `Conversation ${trace.traceId.slice(0, 8)}`,
      scenario: cut(scenario),
      expected_behaviors: [...behaviors, `finishes within ${trace.turns.length + TURNS_MORE} turns`].slice(
        0,
        LIMITS.behaviors,
      ),
      personas: [],
      mock_tools: mocks.flatMap((mock) => ("missing" in mock ? [] : [mock])).slice(0, LIMITS.mockTools),
    },
    notes,
  };
}

function behaviorOf(tool: string, given: unknown): string {
  const named = /^[A-Za-z_][\w.:/-]*$/.test(tool) ? tool : `\`${tool}\``;
  if (given === null || typeof given !== "object" || Array.isArray(given)) return `calls ${named}`;
  const pairs = Object.entries(given)
    .filter(([key, value]) => /^[A-Za-z_]\w*$/.test(key) && isShort(value))
    .slice(0, ARGUMENTS_MAX)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? `calls ${named}` : `calls ${named} with ${pairs.join(", ")}`;
}

const isShort = (value: unknown): boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && value !== "" && value.length <= ARGUMENT_CHARACTERS_MAX && !/[\n"\\]/.test(value));

/** The last answer that is known; a tool answers one thing in a test. */
function mockOf(tool: string, calls: readonly ToolCall[]): TestFile["mock_tools"][number] | { missing: string } {
  const known = calls.findLast(({ result, isError }) => result !== null || isError === true);
  if (!known || tool.length > LIMITS.nameCharacters) return { missing: tool };
  const text = typeof known.result === "string" ? known.result : JSON.stringify(known.result);
  const mock =
    known.isError === true ? { tool, error: text === "null" ? "failed" : text } : { tool, answer: known.result };
  return Buffer.byteLength(JSON.stringify(mock)) > LIMITS.mockToolBytes ? { missing: tool } : mock;
}

function cut(scenario: string): string {
  if (scenario.length <= LIMITS.scenarioCharacters) return scenario;
  return scenario.slice(0, scenario.lastIndexOf("\n", LIMITS.scenarioCharacters));
}

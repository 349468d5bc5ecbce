import { LIMITS } from "../core/limits.ts";
import type { Trace } from "../traces/trace.ts";
import type { ToolCall } from "../traces/calls.ts";

const ARGUMENT_CHARACTERS_MAX = 100;
const ARGUMENTS_MAX = 6;
/** Turns that the agent may need in addition to the turns of the past conversation. */
const EXTRA_TURNS = 4;
const NO_WORDS =
  "The words of the caller are unknown, so a test cannot repeat them. Choose a conversation whose spans have content.";

/** Mock tool of a draft, with either an answer (any JSON value) or an error. */
type DraftMockTool = { tool: string; answer?: unknown; error?: string };

/** Content of a test that does not exist yet, in the form of the body of `tests.create`. */
export type TestContentDraft = {
  name: string;
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: DraftMockTool[];
};

/** Draft of a test that repeats a conversation. */
export type TestDraft = {
  /** Null when the words of the caller are unknown. */
  test: TestContentDraft | null;
  /** Sentences about the parts of the conversation that the test does not repeat, with the reasons. */
  notes: string[];
};

/**
 * Drafts a test from a conversation. The caller of the test says the words of the conversation's caller again. The expected behaviors and
 * the mock tools repeat the tool calls. The default of `name` is `Conversation` with
 * the short id of the trace.
 */
export function draftTest(trace: Trace, name?: string): TestDraft {
  const notes: string[] = [];
  const lines = trace.turns.flatMap(({ role, text }) => (role === "user" && text !== null ? [oneLine(text)] : []));
  if (lines.length === 0) return { test: null, notes: [NO_WORDS] };
  if (trace.turns.some(({ role, text }) => role === "user" && text === null))
    notes.push("Some turns of the caller have no known words. The test leaves them out.");
  const tools = Map.groupBy(
    trace.toolCalls.filter((call): call is ToolCall & { name: string } => call.name !== null),
    (call) => call.name,
  );
  const behaviors = [...tools].map(([tool, calls]) => expectedCallOf(tool, calls[0]!.arguments));
  const mocks = [...tools].map(([tool, calls]) => mockOf(tool, calls));
  const missing = mocks.flatMap((mock) => ("missing" in mock ? [mock.missing] : []));
  if (missing.length > 0)
    notes.push(`The result of ${missing.join(", ")} is unknown or too large. Add a mock tool by hand.`);
  const scenario = [
    `The caller repeats its lines of the conversation ${trace.traceId}.`,
    "",
    ...lines.map((line) => `Says: ${line.startsWith('"') ? `"${line}"` : line}`),
  ].join("\n");
  if (scenario.length > LIMITS.scenarioCharacters)
    notes.push("The conversation is too long for a test. The test leaves out the last lines.");
  return {
    test: {
      name: name ?? `Conversation ${shortTraceId(trace.traceId)}`,
      scenario: cut(scenario),
      expected_behaviors: [...behaviors, `finishes within ${trace.turns.length + EXTRA_TURNS} turns`].slice(
        0,
        LIMITS.behaviors,
      ),
      personas: [],
      mock_tools: mocks.flatMap((mock) => ("missing" in mock ? [] : [mock])).slice(0, LIMITS.mockTools),
    },
    notes,
  };
}

/**
 * Returns the first eight and the last four characters of a trace's id. The first alone are often those of other traces, because some
 * senders begin an id with the time.
 */
export const shortTraceId = (traceId: string): string => `${traceId.slice(0, 8)}-${traceId.slice(-4)}`;

/** Returns the behavior that expects a call of the tool with those of its arguments that a behavior can name. */
export function expectedCallOf(tool: string, args: unknown): string {
  const name = /^[A-Za-z_][\w.:/-]*$/.test(tool) ? tool : `\`${tool}\``;
  if (args === null || typeof args !== "object" || Array.isArray(args)) return `calls ${name}`;
  const pairs = Object.entries(args)
    .filter(([key, value]) => /^[A-Za-z_]\w*$/.test(key) && isShort(value))
    .slice(0, ARGUMENTS_MAX)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? `calls ${name}` : `calls ${name} with ${pairs.join(", ")}`;
}

const isShort = (value: unknown): boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && value !== "" && value.length <= ARGUMENT_CHARACTERS_MAX && !/[\n"\\]/.test(value));

/** Returns a mock tool with the last known result of the calls, because a mock tool has only one result. */
function mockOf(tool: string, calls: readonly ToolCall[]): DraftMockTool | { missing: string } {
  const call = calls.findLast(({ result, isError }) => result !== null || isError === true);
  if (!call || tool.length > LIMITS.nameCharacters) return { missing: tool };
  const text = typeof call.result === "string" ? call.result : JSON.stringify(call.result);
  const mock =
    call.isError === true ? { tool, error: text === "null" ? "failed" : text } : { tool, answer: call.result };
  return new TextEncoder().encode(JSON.stringify(mock)).length > LIMITS.mockToolBytes ? { missing: tool } : mock;
}

function cut(scenario: string): string {
  if (scenario.length <= LIMITS.scenarioCharacters) return scenario;
  return scenario.slice(0, scenario.lastIndexOf("\n", LIMITS.scenarioCharacters));
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

import { lostNumbers } from "@svc/contract/constants";

export type MockToolDraft = {
  tool: string;
  kind: "answer" | "error";
  /** The answer as JSON. */
  json: string;
  error: string;
  /** In milliseconds, as typed. */
  delay: string;
  /** The condition of success as typed; empty without one. */
  succeedsWhen: string;
};

/** Mock tool without its agents. */
export type MockToolResult = {
  tool: string;
  answer?: unknown;
  error?: string | undefined;
  delayMs: number;
  succeedsWhen?: string | undefined;
};

type MockToolProblems = Partial<Record<"json" | "delay", string>>;

export const EMPTY_MOCK_TOOL: MockToolDraft = {
  tool: "",
  kind: "answer",
  json: "{\n  \n}",
  error: "",
  delay: "0",
  succeedsWhen: "",
};

export const mockToolDraftOf = ({ tool, answer, error, delayMs, succeedsWhen }: MockToolResult): MockToolDraft => ({
  tool,
  kind: error === undefined ? "answer" : "error",
  json: error === undefined ? JSON.stringify(answer, null, 2) : "{}",
  error: error ?? "",
  delay: String(delayMs),
  succeedsWhen: succeedsWhen ?? "",
});

/** Checks only the JSON and the delay; the service validates the rest. */
export function readMockTool(draft: MockToolDraft): { mockTool: MockToolResult } | { problems: MockToolProblems } {
  const problems: MockToolProblems = {};
  const delayMs = draft.delay.trim() === "" ? 0 : Number(draft.delay);
  if (Number.isNaN(delayMs)) problems.delay = "Write a number of milliseconds.";
  const succeedsWhen = draft.succeedsWhen.trim();
  const rest = { tool: draft.tool.trim(), delayMs, ...(succeedsWhen !== "" && { succeedsWhen }) };
  if (draft.kind === "error")
    return problems.delay === undefined ? { mockTool: { ...rest, error: draft.error.trim() } } : { problems };
  const problem = jsonProblem(draft.json);
  if (problem !== undefined) problems.json = problem;
  if (Object.keys(problems).length > 0) return { problems };
  return { mockTool: { ...rest, answer: JSON.parse(draft.json) as unknown } };
}

/** Returns why a text is no JSON, or contains a number that JSON parsers change. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === "") return 'Write the answer as JSON, such as {"free": true}.';
  try {
    JSON.parse(text);
  } catch (error) {
    return `This is not valid JSON: ${placeOf((error as Error).message, text)}.`;
  }
  const [lost] = lostNumbers(text);
  const where = lost === "" ? "this number" : `the number at ${lost}`;
  return lost === undefined
    ? undefined
    : `Programs that read JSON change ${where}. Send it as text, or with fewer digits.`;
}

/** Returns a parser's message in which line and column replace the position. */
function placeOf(message: string, text: string): string {
  const reason = message
    .replace(/^JSON\.parse: /, "")
    .replace(/,? (?:in JSON )?at (?:position|line) .*$/s, "")
    .replace(/, \.{0,3}".*$/s, "");
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return reason;
  const before = text.slice(0, Number(position)).split("\n");
  return `${reason}, line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

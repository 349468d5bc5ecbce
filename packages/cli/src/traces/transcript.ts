import type { ModelCall, SpeechCall, ToolCall, Trace, Turn, UnspokenTurn } from "@svc/contract";
import { counted, facts, hang, paint } from "../terminal/output.ts";
import { ago, clock, duration, moment } from "../terminal/times.ts";
import { lineLines } from "./line-text.ts";

export function transcript(trace: Trace): string {
  const startMs = Date.parse(trace.startedAt);
  const names = agentNames(trace);
  const spokenAt = firstSpeech(trace);
  const turns = trace.turns.map((turn) => {
    const at = spokenAt.get(turn.index) ?? turn.startedAt;
    return { at, order: 0, text: turnText(turn, names(turn.agentName), at, startMs) };
  });
  const toolCalls = trace.toolCalls.map((call) => ({ at: call.startedAt, order: 1, text: toolText(call, startMs) }));
  const unspoken = trace.unspokenTurns.map((turn) => ({
    at: turn.startedAt,
    order: 2,
    text: unspokenText(turn, names(turn.agentName), startMs),
  }));
  const failures = failedCalls(trace).map((call) => ({
    at: call.startedAt,
    order: 3,
    text: failureText(call, startMs),
  }));
  const lines = [...turns, ...toolCalls, ...unspoken, ...failures]
    .sort((a, b) => a.at.localeCompare(b.at) || a.order - b.order)
    .map(({ text }) => text);
  const body = lines.length > 0 ? lines.join("\n") : hang(emptyBody(trace), 0);
  return [heading(trace), body, lineLines(trace.line).join("\n")].filter((part) => part !== "").join("\n\n");
}

function heading(trace: Trace): string {
  return facts([
    ["Conversation", trace.conversationId ?? undefined],
    [
      "Trace",
      trace.traceCount > 1 ? `${trace.traceId} and ${counted(trace.traceCount - 1, "more", "more")}` : trace.traceId,
    ],
    ["Agent", trace.agentName ?? trace.serviceName ?? "unknown"],
    ["Channel", trace.channel ?? "unknown"],
    ["Source", trace.source],
    ["Started", `${moment(trace.startedAt)} (${ago(trace.startedAt)})`],
    ["Duration", `${duration(trace.durationMs)}${trace.state === "final" ? "" : " so far: more spans may arrive"}`],
    ["Status", trace.status === "ok" ? paint.green("ok") : paint.red(counted(trace.errorCount, "error"))],
    ["Ended", endingText(trace.callReport)],
    ["Numbers", numbersText(trace.callReport)],
    ["Cost", trace.callReport?.costCents ? `${trace.callReport.costCents} US cents` : undefined],
    ["Recording", trace.callReport?.recordings[0]?.url],
    ["Summary", trace.callReport?.summary ?? undefined],
    ["Verdicts", verdictsText(trace.callReport)],
    [
      "Size",
      `${countText(trace.turnCount, "turn")}, ${countText(trace.toolCallCount, "tool call")}, ${counted(trace.spanCount, "span")}`,
    ],
    ["Note", trace.spansTruncated ? `the service read only the first ${trace.spans.length} spans` : undefined],
  ]);
}

const countText = (count: number | null, noun: string): string =>
  count === null ? `unknown ${noun}s` : counted(count, noun);

function endingText(report: Trace["callReport"]): string | undefined {
  if (!report?.ending) return undefined;
  const { reason, group } = report.ending;
  return group === null ? reason : `${reason} (${group.replaceAll("_", " ")})`;
}

function numbersText(report: Trace["callReport"]): string | undefined {
  if (!report || (report.fromNumber === null && report.toNumber === null)) return undefined;
  const { direction, fromNumber, toNumber, transferDestination } = report;
  const route = [fromNumber, toNumber, transferDestination].filter((number) => number !== null).join(" → ");
  return direction === null ? route : `${route} (${direction})`;
}

/** Only the verdicts that are simple values; `--json` prints all verdicts. */
function verdictsText(report: Trace["callReport"]): string | undefined {
  const shown = (report?.verdicts ?? []).filter(
    ({ name, value }) => typeof value !== "object" && name !== "call_summary",
  );
  if (shown.length === 0) return undefined;
  return shown.map(({ name, value }) => `${name} ${String(value)}`).join(", ") + paint.dim("  (from the platform)");
}

const emptyBody = ({ vocabulary }: Trace): string =>
  vocabulary === null
    ? "The service does not know the vocabulary of these spans, so the turns are unknown. To see the spans, set --spans."
    : "No turns yet. To see the spans, set --spans.";

const INDENT = 17;

const WHO: Record<Turn["role"], () => string> = {
  agent: () => paint.cyan("agent"),
  user: () => paint.yellow("user "),
  third_party: () => paint.magenta("other"),
};

function turnText(turn: Turn, name: string, at: string, startMs: number): string {
  const who = WHO[turn.role]();
  const cut = turn.interrupted ? ` ${paint.red("[interrupted]")}` : "";
  return `${since(at, startMs)}  ${who}  ${name}${hang(wordsOf(turn), INDENT)}${cut}`;
}

/**
 * Returns the start of the first speech of each agent turn, by the turn's index. The turn itself starts earlier, with the work on the
 * answer, and its tool calls come before its words.
 */
function firstSpeech({ speech }: Trace): Map<number, string> {
  const first = new Map<number, string>();
  for (const { role, turnIndex, startedAt } of speech)
    if (role === "agent" && turnIndex !== null && !first.has(turnIndex)) first.set(turnIndex, startedAt);
  return first;
}

function wordsOf({ text, heardText }: Turn): string {
  if (text === null) return paint.dim("(words unknown)");
  if (heardText === null || text.trim() === heardText.trim()) return text;
  const unheard = text.trim().startsWith(heardText) ? text.trim().slice(heardText.length).trim() : text;
  return [heardText, paint.dim(`[not heard: ${unheard}]`)].filter((part) => part !== "").join(" ");
}

/** The name is empty unless the conversation has several agents. */
function agentNames({ turns, unspokenTurns }: Trace): (name: string | null) => string {
  const names = new Set([...turns, ...unspokenTurns].flatMap(({ agentName }) => agentName ?? []));
  return (name) => (name === null || names.size < 2 ? "" : `${paint.dim(`(${name})`)} `);
}

function unspokenText(turn: UnspokenTurn, name: string, startMs: number): string {
  const what = turn.outcome === "failed" ? paint.red("[failed, nothing was said]") : paint.dim("[discarded, not said]");
  const rest = [turn.text, errorText(turn.error)].filter((part) => part !== null).join(" ");
  return `${since(turn.startedAt, startMs)}  ${paint.cyan("agent")}  ${name}${what} ${hang(rest, INDENT)}`.trimEnd();
}

type FailedCall = (ModelCall | SpeechCall) & { what: string };

/** The line of an unspoken turn already contains its error. */
function failedCalls({ modelCalls, speechCalls }: Trace): FailedCall[] {
  const calls = [
    ...modelCalls.map((call) => ({ ...call, what: "language model" })),
    ...speechCalls.map((call) => ({ ...call, what: call.kind === "tts" ? "speech synthesis" : "speech recognition" })),
  ];
  return calls.filter(({ isError, turnIndex }) => isError === true && turnIndex !== null);
}

function failureText({ what, model, error, startedAt }: FailedCall, startMs: number): string {
  const name = model === null ? what : `${what} ${model}`;
  const text = errorText(error) ?? "The spans do not describe the error.";
  return `${since(startedAt, startMs)}         ${paint.red(`✗ ${name} failed:`)} ${hang(text, INDENT + 2)}`;
}

const errorText = (error: UnspokenTurn["error"]): string | null =>
  error === null ? null : [error.type, error.message].filter((part) => part !== null).join(": ");

function toolText(call: ToolCall, startMs: number): string {
  const took = call.durationMs === null ? "" : paint.dim(` ${duration(call.durationMs)}`);
  const name = call.name ?? "unknown tool";
  const args = hang(valueText(call.arguments), INDENT + 4);
  const result = hang(valueText(call.result), INDENT + 2);
  const arrow = call.isError ? paint.red("← failed:") : paint.magenta("←");
  return `${since(call.startedAt, startMs)}         ${paint.magenta("→")} ${name} ${args}${took}\n${" ".repeat(INDENT)}${arrow} ${result}`;
}

const valueText = (value: unknown): string =>
  value === null || value === undefined ? "(unknown)" : typeof value === "string" ? value : JSON.stringify(value);

const since = (time: string, startMs: number): string => paint.dim(clock(Date.parse(time) - startMs).padStart(8));

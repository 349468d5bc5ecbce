import type { ToolCall, Trace, Turn } from "@svc/contract";
import { counted, facts, hang, paint } from "../output.ts";
import { ago, clock, duration, moment } from "../times.ts";

/** Returns a conversation as text: its facts, then its turns and tool calls with the time since its start. */
export function transcript(trace: Trace): string {
  const startMs = Date.parse(trace.startedAt);
  const turns = trace.turns.map((turn) => ({ at: turn.startedAt, order: 0, text: turnText(turn, startMs) }));
  const toolCalls = trace.toolCalls.map((call) => ({ at: call.startedAt, order: 1, text: toolText(call, startMs) }));
  const lines = [...turns, ...toolCalls]
    .sort((a, b) => a.at.localeCompare(b.at) || a.order - b.order)
    .map(({ text }) => text);
  const body = lines.length > 0 ? lines.join("\n") : hang(emptyBody(trace), 0);
  return `${heading(trace)}\n\n${body}`;
}

function heading(trace: Trace): string {
  return facts([
    ["Conversation", trace.conversationId ?? undefined],
    [
      "Trace",
      trace.traceCount > 1 ? `${trace.traceId} and ${counted(trace.traceCount - 1, "more", "more")}` : trace.traceId,
    ],
    ["Agent", trace.agentName ?? trace.serviceName ?? "unknown"],
    ["Source", trace.source],
    ["Started", `${moment(trace.startedAt)} (${ago(trace.startedAt)})`],
    ["Duration", `${duration(trace.durationMs)}${trace.state === "final" ? "" : " so far: more spans may arrive"}`],
    [
      "Status",
      trace.status === "ok" ? paint.green("ok") : paint.red(`error: ${counted(trace.errorCount, "span")} failed`),
    ],
    ["Ended", endingText(trace.callReport)],
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

/** Returns the platform's verdicts that fit on a line; `--json` has all. */
function verdictsText(report: Trace["callReport"]): string | undefined {
  const shown = (report?.verdicts ?? []).filter(({ value }) => typeof value !== "object");
  if (shown.length === 0) return undefined;
  return shown.map(({ name, value }) => `${name} ${String(value)}`).join(", ") + paint.dim("  (from the platform)");
}

const emptyBody = ({ vocabulary }: Trace): string =>
  vocabulary === null
    ? "The service does not know the vocabulary of these spans, so the turns are unknown. To see the spans, set --spans."
    : "No turns yet. To see the spans, set --spans.";

const INDENT = 17;

function turnText(turn: Turn, startMs: number): string {
  const who = turn.role === "agent" ? paint.cyan("agent") : paint.yellow("user ");
  const text = turn.text ?? paint.dim("(words unknown)");
  const cut = turn.interrupted ? ` ${paint.red("[interrupted]")}` : "";
  return `${since(turn.startedAt, startMs)}  ${who}  ${hang(text, INDENT)}${cut}`;
}

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

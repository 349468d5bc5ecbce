import type { TraceSummary } from "@svc/contract";
import { oneLine, paint, terminalColumns } from "../terminal/output.ts";
import { fit } from "../terminal/terminal-text.ts";
import { duration } from "../terminal/times.ts";

/** Minimum width for the duration and the latency. A narrower line omits both, to leave more room for the first words. */
const WIDE_COLUMNS = 120;

export function summaryLine(trace: TraceSummary, columns = terminalColumns): string {
  const { startedAt, state, status, durationMs, agentName, serviceName, turnCount, preview } = trace;
  const marker = state === "provisional" ? "…" : " ";
  const statusText = status === "error" ? paint.red("error") : "ok   ";
  const latency = (trace.responseLatency ?? trace.textResponseTime)?.mean ?? null;
  const isWide = columns >= WIDE_COLUMNS;
  const line = [
    startedAt.slice(11, 19),
    trace.traceId,
    `${marker} ${statusText}`,
    ...(isWide ? [duration(durationMs).padStart(12)] : []),
    `${turnCount ?? "?"} turns`.padStart(9),
    ...(isWide ? [`answers in ${duration(latency)}`.padEnd(18)] : []),
    agentName ?? serviceName ?? "?",
    oneLine(preview ?? ""),
  ].join("  ");
  return fit(line, columns).trimEnd();
}

import type { TraceSummary } from "@svc/contract";
import { oneLine, paint, terminalColumns } from "../output.ts";
import { fit } from "../terminal-text.ts";
import { duration } from "../times.ts";

/** Below this the length and the latency leave their place to who spoke and what was said. */
const WIDE_COLUMNS = 120;

/** A conversation on one line, which ends with its first words. */
export function summaryLine(trace: TraceSummary, columns = terminalColumns): string {
  const { startedAt, state, status, durationMs, agentName, serviceName, turnCount, responseLatency, preview } = trace;
  const going = state === "provisional" ? "…" : " ";
  const failed = status === "error" ? paint.red("error") : "ok   ";
  const latency = responseLatency?.mean ?? null;
  const isWide = columns >= WIDE_COLUMNS;
  const line = [
    startedAt.slice(11, 19),
    trace.traceId,
    `${going} ${failed}`,
    ...(isWide ? [duration(durationMs).padStart(12)] : []),
    `${turnCount ?? "?"} turns`.padStart(9),
    ...(isWide ? [`answers in ${duration(latency)}`.padEnd(18)] : []),
    agentName ?? serviceName ?? "?",
    oneLine(preview ?? ""),
  ].join("  ");
  return fit(line, columns).trimEnd();
}

import type { TraceSummary } from "@svc/contract";
import { oneLine, paint, terminalColumns } from "../output.ts";
import { fit } from "../terminal-text.ts";
import { duration } from "../times.ts";

/** A conversation on one line, which ends with its first words. */
export function summaryLine(trace: TraceSummary): string {
  const { startedAt, state, status, durationMs, agentName, serviceName, turnCount, responseLatency, preview } = trace;
  const going = state === "provisional" ? "…" : " ";
  const failed = status === "error" ? paint.red("error") : "ok   ";
  const latency = responseLatency?.mean ?? null;
  const line = [
    startedAt.slice(11, 19),
    trace.traceId,
    `${going} ${failed}`,
    duration(durationMs).padStart(12),
    `${turnCount ?? "?"} turns`.padStart(9),
    `answers in ${duration(latency)}`.padEnd(18),
    agentName ?? serviceName ?? "?",
    oneLine(preview ?? ""),
  ].join("  ");
  return fit(line, terminalColumns).trimEnd();
}

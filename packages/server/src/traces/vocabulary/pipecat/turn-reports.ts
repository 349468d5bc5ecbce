import { milliseconds } from "../attribute-values.ts";
import type { DraftOf, TurnReport } from "../vocabulary.ts";
import { EMPTY_TURN_REPORT } from "../empty-turn-report.ts";
import { transcriptionDelayMs } from "./recognition-times.ts";
import type { Round } from "./rounds.ts";

/** Returns the values that the spans report for the user turn and for the agent turn. */
export function turnReports({ span, recognitions, user, agent }: Round): DraftOf<TurnReport>[] {
  const reports: DraftOf<TurnReport>[] = [];
  const last = recognitions.at(-1);
  const delayMs = last === undefined ? null : transcriptionDelayMs(last);
  if (user !== null && delayMs !== null)
    reports.push({ ...EMPTY_TURN_REPORT, turn: user, transcriptionDelayMs: delayMs });
  const latencyMs = milliseconds(span?.attributes["turn.user_bot_latency_seconds"], "seconds");
  const interruptedBy = agent?.interrupted === true ? "user" : null;
  if (agent !== null && (latencyMs !== null || interruptedBy !== null)) {
    reports.push({ ...EMPTY_TURN_REPORT, turn: agent, responseLatencyMs: latencyMs, interruptedBy });
  }
  return reports;
}

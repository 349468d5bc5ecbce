import { milliseconds } from "../attribute-values.ts";
import type { OfTurn, TurnReport } from "../vocabulary.ts";
import { transcriptionDelayMs } from "./heard-speech.ts";
import type { Round } from "./rounds.ts";

const NOTHING = {
  responseLatencyMs: null,
  interruptedBy: null,
  endOfUtteranceDelayMs: null,
  transcriptionDelayMs: null,
};

/** What the spans state on a user's turn and on the agent's answer. */
export function turnReports({ span, heard, user, agent }: Round): OfTurn<TurnReport>[] {
  const reports: OfTurn<TurnReport>[] = [];
  const last = heard.at(-1);
  const delayMs = last === undefined ? null : transcriptionDelayMs(last);
  if (user !== null && delayMs !== null) reports.push({ ...NOTHING, turn: user, transcriptionDelayMs: delayMs });
  const latencyMs = milliseconds(span?.attributes["turn.user_bot_latency_seconds"], "seconds");
  const interruptedBy = agent?.interrupted === true ? "user" : null;
  if (agent !== null && (latencyMs !== null || interruptedBy !== null)) {
    reports.push({ ...NOTHING, turn: agent, responseLatencyMs: latencyMs, interruptedBy });
  }
  return reports;
}

import { byStart, type SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { EMPTY_TURN_REPORT } from "../empty-turn-report.ts";
import type { DraftOf, TurnDraft, TurnReport } from "../vocabulary.ts";
import { AGENT_TURNS, endOfTurnDelay, isAgentTurn } from "./names.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";
import type { TimeReader } from "./time-reader.ts";

const REPORTING = [...AGENT_TURNS, "user_turn", "eou_wait"];

/** Returns the values that the spans report for each turn. If several spans report one value, the earliest counts. */
export function turnReports(
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  times: TimeReader,
): DraftOf<TurnReport>[] {
  const reports = new Map<TurnDraft, DraftOf<TurnReport>>();
  const reporting = REPORTING.flatMap(named);
  for (const node of reporting.sort((a, b) => byStart(a.span, b.span))) {
    const turn = positionOf.get(node)!.turn;
    if (turn === null) continue;
    const report = reports.get(turn) ?? { turn, ...EMPTY_TURN_REPORT };
    reports.set(turn, report);
    if (isAgentTurn(node.span)) {
      report.responseLatencyMs ??= times.latencyMs(node.span.attributes["lk.e2e_latency"]);
      report.interruptedBy ??= interruptedBy(node.span);
    } else if (node.span.name === "user_turn") {
      report.endOfUtteranceDelayMs ??= times.delayMs(endOfTurnDelay(node.span));
      report.transcriptionDelayMs ??= times.delayMs(node.span.attributes["lk.transcription_delay"]);
    } else if (node.span.attributes["lk.eou.outcome"] === "committed") {
      const waitedMs = times.latencyMs(node.span.attributes["lk.eou.wait_duration"]);
      report.endOfUtteranceDelayMs = waitedMs ?? report.endOfUtteranceDelayMs;
    }
  }
  return [...reports.values()];
}

function interruptedBy({ attributes }: StoredSpan): TurnReport["interruptedBy"] {
  const source = attributes["lk.interruption.source"];
  if (source === "audio_activity" || source === "user_turn") return "user";
  return source === "programmatic" ? "program" : null;
}

import { byStart, type SpanNode } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import type { OfTurn, TurnDraft, TurnReport } from "../vocabulary.ts";
import { endOfTurnDelay, isAgentTurn } from "./names.ts";
import type { Place } from "./places.ts";
import type { StatedTimes } from "./stated-times.ts";

/** What the spans state on each turn; of several the earliest that states it. */
export function turnReports(
  nodes: readonly SpanNode[],
  placeOf: Map<SpanNode, Place>,
  times: StatedTimes,
): OfTurn<TurnReport>[] {
  const reports = new Map<TurnDraft, OfTurn<TurnReport>>();
  const stating = nodes.filter(
    ({ span }) => isAgentTurn(span) || span.name === "user_turn" || span.name === "eou_wait",
  );
  for (const node of stating.toSorted((a, b) => byStart(a.span, b.span))) {
    const turn = placeOf.get(node)!.turn;
    if (turn === null) continue;
    const report = reports.get(turn) ?? { turn, ...NOTHING };
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

const NOTHING = {
  responseLatencyMs: null,
  interruptedBy: null,
  endOfUtteranceDelayMs: null,
  transcriptionDelayMs: null,
};

function interruptedBy({ attributes }: StoredSpan): TurnReport["interruptedBy"] {
  const source = attributes["lk.interruption.source"];
  if (source === "audio_activity" || source === "user_turn") return "user";
  return source === "programmatic" ? "program" : null;
}

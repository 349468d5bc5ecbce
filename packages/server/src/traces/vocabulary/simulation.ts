import type { StoredSpan } from "../stored-span.ts";
import { contentOf, flagOf, textOf } from "./attribute-values.ts";
import { countKeys } from "./count-keys.ts";
import { EMPTY_TURN } from "./empty-turn.ts";
import { EMPTY_TURN_REPORT } from "./empty-turn-report.ts";
import { isHeardSpan } from "./heard.ts";
import { sessionOf } from "./sessions.ts";
import { isLineStep, isTypedSimulation, SIMULATION_SCOPE, SIMULATION_SPANS } from "./simulation-names.ts";
import type { DraftOf, ConversationDraft, ToolCallDraft, TurnDraft, TurnReport, Vocabulary } from "./vocabulary.ts";

export const simulation: Vocabulary = {
  name: "simulation",

  // When the agent itself sends the spans of the turns, the service writes only a root and spans with facts about the call. These spans
  // are not recognised, so that another vocabulary reads the agent's spans.
  recognises: (span) =>
    span.scopeName === SIMULATION_SCOPE &&
    span.name !== SIMULATION_SPANS.root &&
    !isHeardSpan(span) &&
    !isLineStep(span),

  read(all): ConversationDraft {
    const spans = all.filter(({ scopeName }) => scopeName === SIMULATION_SCOPE);
    const named = (name: string) => spans.filter((span) => span.name === name);
    const root = named(SIMULATION_SPANS.root)[0];
    const turns = new Map<string, TurnDraft>();
    for (const span of [...named(SIMULATION_SPANS.caller), ...named(SIMULATION_SPANS.agent)]) {
      turns.set(String(span.attributes["svc.turn.index"]), turnOf(span));
    }
    const turnAt = (span: StoredSpan) => turns.get(String(span.attributes["svc.turn.index"])) ?? null;
    return {
      generation: "1",
      modality: isTypedSimulation(spans) ? "text" : "voice",
      session: sessionOf(root),
      turns: [...turns.values()],
      unspokenTurns: [],
      toolCalls: named(SIMULATION_SPANS.tool).map((span) => toolCallOf(span, turnAt(span))),
      userSpeech: [],
      agentSpeech: [],
      thirdPartySpeech: [],
      modelCalls: [],
      speechCalls: [],
      turnReports: named(SIMULATION_SPANS.agent).flatMap((span) => reportOf(span, turnAt(span))),
      quality: {
        language: null,
        unitsInferred: [],
        unmappedKeys: countKeys(spans, (key) => key.startsWith("svc.turn.") && !TURN_KEYS.has(key)),
        stalledTurns: spans.filter(isStalled).length,
      },
    };
  },
};

const TURN_KEYS = new Set(["svc.turn.index", "svc.turn.text", "svc.turn.response_latency_ms", "svc.turn.stalled_ms"]);

/** After a stall of the service, the end of the span is not the end of the turn. */
const isStalled = (span: StoredSpan): boolean => typeof span.attributes["svc.turn.stalled_ms"] === "number";

const turnOf = (span: StoredSpan): TurnDraft => ({
  role: span.name === SIMULATION_SPANS.caller ? "user" : "agent",
  text: textOf(span.attributes["svc.turn.text"]),
  startNs: span.startNs,
  endNs: isStalled(span) ? null : span.endNs,
  ...EMPTY_TURN,
  spanIds: [span.spanId],
});

const toolCallOf = (span: StoredSpan, turn: TurnDraft | null): ToolCallDraft => ({
  id: textOf(span.attributes["svc.tool.call_id"]),
  name: textOf(span.attributes["svc.tool.name"]),
  arguments: contentOf(span.attributes["svc.tool.arguments"]),
  result: contentOf(span.attributes["svc.tool.result"]),
  isError: flagOf(span.attributes["svc.tool.is_error"]),
  startNs: span.startNs,
  endNs: span.endNs,
  turn,
  spanId: span.spanId,
});

function reportOf(span: StoredSpan, turn: TurnDraft | null): DraftOf<TurnReport>[] {
  const textResponseMs = span.attributes["svc.turn.response_latency_ms"];
  if (typeof textResponseMs !== "number" || textResponseMs < 0) return [];
  return [{ ...EMPTY_TURN_REPORT, textResponseMs, turn }];
}

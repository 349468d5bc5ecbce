import { byStart, preOrder, type SpanNode, spanTree } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { EMPTY_TURN_REPORT } from "./empty-turn-report.ts";
import { callReport } from "./platform-b/call-report.ts";
import { agentNames } from "./platform-b/agent-names.ts";
import { unmappedKeys } from "./platform-b/known-keys.ts";
import { modelCalls } from "./platform-b/model-calls.ts";
import { AGENT_TURNS, endOfTurnDelay, generationOf, isAgentTurn } from "./platform-b/names.ts";
import { nodesByName, type NodesByName } from "./platform-b/nodes-by-name.ts";
import { sayAudio } from "./platform-b/say-audio.ts";
import { sayTurns } from "./platform-b/say-turns.ts";
import { type SpanPosition, spanPositions } from "./platform-b/span-positions.ts";
import { speechCalls } from "./platform-b/speech-calls.ts";
import { speechBySpan } from "./platform-b/speeches.ts";
import { spokenAudio } from "./platform-b/spoken-audio.ts";
import { createTimeReader, type TimeReader } from "./platform-b/time-reader.ts";
import { toolCallsOf, toolCallWithoutSpeech } from "./platform-b/tool-calls.ts";
import { unspokenTurns } from "./platform-b/unspoken-speeches.ts";
import { userTurns } from "./platform-b/user-turns.ts";
import { sessionOf } from "./sessions.ts";
import { withFailedCalls } from "./unspoken-turns.ts";
import type { DraftOf, TurnDraft, TurnReport, Vocabulary } from "./vocabulary.ts";

/** Maps LiveKit Agents for Python and JavaScript, since the first version with `lk.*` attributes. */
export const platformB: Vocabulary = {
  name: "platform_b",

  recognises: (span) =>
    span.scopeName === "livekit-agents" || Object.keys(span.attributes).some((key) => key.startsWith("lk.")),

  read(spans) {
    const nodes = preOrder(spanTree(spans));
    const named = nodesByName(nodes);
    const agentOf = agentNames(spans);
    const speechOf = speechBySpan(nodes, named, agentOf);
    const speeches = [...new Set(speechOf.values())];
    const saySpans = sayAudio(nodes, named, speechOf).map((node) => node.span);
    const toolsWithoutSpeech = named("function_tool").filter((node) => !speechOf.has(node));
    const turns = [
      ...userTurns(named, speeches),
      ...speeches.flatMap((speech) => speech.turn ?? []),
      ...sayTurns(saySpans, spans, speeches, agentOf),
    ];
    const positionOf = spanPositions(nodes, turns);
    const audio = spokenAudio(nodes, named, turns, positionOf);
    const times = createTimeReader(nodes, named, positionOf, audio);
    const calls = modelCalls(named, positionOf, times);
    return {
      generation: generationOf(spans),
      ...audio,
      session: sessionOf(spans.find(({ name }) => name === "agent_session")),
      turns,
      unspokenTurns: withFailedCalls(unspokenTurns(nodes, speechOf, agentOf), calls),
      toolCalls: [
        ...speeches.flatMap(toolCallsOf),
        ...toolsWithoutSpeech.map((node) => toolCallWithoutSpeech(node.span)),
      ],
      modelCalls: calls,
      speechCalls: speechCalls(named, positionOf, times),
      turnReports: turnReports(named, positionOf, times),
      quality: { language: times.language, unitsInferred: times.unitsInferred, unmappedKeys: unmappedKeys(spans) },
      callReport: callReport(spans),
    };
  },
};

const REPORTING = [...AGENT_TURNS, "user_turn", "eou_wait"];

/**
 * Returns what the framework reports about each turn. When several spans report the same value, the earliest span counts, but an `eou_wait`
 * span with the outcome `committed` replaces the end-of-utterance delay.
 */
function turnReports(
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

import { preOrder, spanTree } from "../span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { unmappedKeys } from "./platform-b/known-keys.ts";
import { modelCalls } from "./platform-b/model-calls.ts";
import { generationOf } from "./platform-b/names.ts";
import { placeOfEach } from "./platform-b/places.ts";
import { sayTurns } from "./platform-b/say-turns.ts";
import { speechCalls } from "./platform-b/speech-calls.ts";
import { speechOfEach } from "./platform-b/speeches.ts";
import { spokenAudio } from "./platform-b/spoken-audio.ts";
import { spokenAlone } from "./platform-b/spoken-alone.ts";
import { statedTimes } from "./platform-b/stated-times.ts";
import { strayToolCall, toolCallsOf } from "./platform-b/tool-calls.ts";
import { turnReports } from "./platform-b/turn-reports.ts";
import { userTurns } from "./platform-b/user-turns.ts";
import type { Reading, Vocabulary } from "./vocabulary.ts";

/** LiveKit Agents, Python and JavaScript, from its first `lk.*` spans on. */
export const platformB: Vocabulary = {
  name: "platform_b",

  recognises: (span) =>
    span.scopeName === "livekit-agents" || Object.keys(span.attributes).some((key) => key.startsWith("lk.")),

  read(spans) {
    const nodes = preOrder(spanTree(spans));
    const speechOf = speechOfEach(nodes);
    const speeches = [...new Set(speechOf.values())];
    const sayings = spokenAlone(nodes, speechOf).map((node) => node.span);
    const strayTools = nodes.filter((node) => node.span.name === "function_tool" && !speechOf.has(node));
    const turns = [
      ...userTurns(nodes, speeches),
      ...speeches.flatMap((speech) => speech.turn ?? []),
      ...sayTurns(sayings, spans, speeches),
    ];
    const placeOf = placeOfEach(nodes, turns);
    const audio = spokenAudio(nodes, turns, placeOf);
    const times = statedTimes(nodes, placeOf, audio);
    return {
      generation: generationOf(spans),
      ...audio,
      session: sessionOf(spans),
      turns,
      toolCalls: [...speeches.flatMap(toolCallsOf), ...strayTools.map((node) => strayToolCall(node.span))],
      modelCalls: modelCalls(nodes, placeOf, times),
      speechCalls: speechCalls(nodes, placeOf, times),
      turnReports: turnReports(nodes, placeOf, times),
      quality: { language: times.language, unitsInferred: times.unitsInferred, unmappedKeys: unmappedKeys(spans) },
    };
  },
};

/** The call's own span, which arrives last or never. */
function sessionOf(spans: readonly StoredSpan[]): Reading["session"] {
  const session = spans.find((span) => span.name === "agent_session");
  return session ? { startNs: session.startNs, endNs: session.endNs } : null;
}

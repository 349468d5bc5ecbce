import { preOrder, spanTree } from "../conversation/span-tree.ts";
import { agentNames } from "./platform-b/agent-names.ts";
import { unspokenTurns } from "./platform-b/unspoken-speeches.ts";
import { unmappedKeys } from "./platform-b/known-keys.ts";
import { modelCalls } from "./platform-b/model-calls.ts";
import { nodesByName } from "./platform-b/nodes-by-name.ts";
import { generationOf } from "./platform-b/names.ts";
import { spanPositions } from "./platform-b/span-positions.ts";
import { sayAudio } from "./platform-b/say-audio.ts";
import { sayTurns } from "./platform-b/say-turns.ts";
import { speechCalls } from "./platform-b/speech-calls.ts";
import { speechBySpan } from "./platform-b/speeches.ts";
import { spokenAudio } from "./platform-b/spoken-audio.ts";
import { createTimeReader } from "./platform-b/time-reader.ts";
import { toolCallWithoutSpeech, toolCallsOf } from "./platform-b/tool-calls.ts";
import { turnReports } from "./platform-b/turn-reports.ts";
import { userTurns } from "./platform-b/user-turns.ts";
import { sessionOf } from "./sessions.ts";
import { withFailedCalls } from "./unspoken-turns.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Maps LiveKit Agents for Python and JavaScript, from the first version with `lk.*` attributes on. */
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
    };
  },
};

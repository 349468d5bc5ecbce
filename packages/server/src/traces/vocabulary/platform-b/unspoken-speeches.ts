import type { SpanNode } from "../../conversation/span-tree.ts";
import { errorOf } from "../span-facts.ts";
import type { UnspokenTurn } from "../vocabulary.ts";
import type { AgentNames } from "./agent-names.ts";
import { attemptsOf } from "./attempts.ts";
import { lastEnd, type Speech } from "./speeches.ts";
import { responseOf } from "./step-texts.ts";

/**
 * Returns an unspoken turn for each speech without a turn. Such a speech has failed when one of its steps failed, or when one of its
 * requests failed and it has no text; otherwise it was discarded.
 */
export function unspokenTurns(
  nodes: readonly SpanNode[],
  speechOf: Map<SpanNode, Speech>,
  agentOf: AgentNames,
): UnspokenTurn[] {
  const failures = new Map<Speech, SpanNode[]>();
  for (const node of nodes) {
    const speech = speechOf.get(node);
    if (speech?.turn !== null || !REQUESTS.has(node.span.name) || attemptsOf(node).isError !== true) continue;
    failures.set(speech, [...(failures.get(speech) ?? []).slice(0, MOST_FAILURES), node]);
  }
  const silent = new Set([...speechOf.values()].filter(({ turn }) => turn === null));
  return [...silent].map((speech) => {
    const failed = failures.get(speech) ?? [];
    const last = failed.at(-1);
    const step = speech.steps.findLast(({ status }) => status === "error");
    const texts = speech.requests.map(responseOf).filter((text) => text !== null);
    return {
      outcome: step !== undefined || (last !== undefined && texts.length === 0) ? "failed" : "discarded",
      text: texts.length > 0 ? texts.join("\n") : null,
      agentName: agentOf(speech.steps[0]!),
      error: last !== undefined ? attemptsOf(last).error : step !== undefined ? errorOf(step) : null,
      startNs: speech.steps[0]!.startNs,
      endNs: lastEnd(speech.steps),
      spanIds: [...speech.steps, ...failed.map(({ span }) => span)].map(({ spanId }) => spanId),
    };
  });
}

const REQUESTS = new Set(["llm_request", "tts_request", "realtime_inference"]);
const MOST_FAILURES = 20;

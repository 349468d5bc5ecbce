import type { Evidence } from "./evidence.ts";
import { hasAny, spaced } from "./words/sentences.ts";
import { wordsOf } from "./words/words.ts";

/** Returns why the conversation may have ended before the agent could act; null if it did not. */
export const cutShort = ({ partial, ending }: Evidence): string | null =>
  partial ?? (ending?.by === "limit" ? `A limit of the run ended the conversation (${ending.reason}).` : null);

/** If the pause between two turns of the caller is shorter, the turns count as one turn that speech recognition has split. */
export const SAME_SPEECH_MS = 1_500;

export const isWordless = (evidence: Evidence, at: number): boolean => {
  const { speaker, text } = evidence.turns[at]!;
  return (
    speaker === "agent" &&
    text !== null &&
    wordsOf(text).length === 0 &&
    !evidence.toolCalls.some(({ turn }) => turn === at)
  );
};

/**
 * Returns a sentence that says from which turn on the agent answered nothing; null if the agent did not stop answering. The agent has
 * stopped if, after its last words, the caller spoke at least twice without a farewell. One such turn of the caller is enough if the
 * agent's answer to it has no words, or if the agent's failure to answer ended the conversation.
 */
export function stoppedAnswering(evidence: Evidence): string | null {
  const { turns, toolCalls } = evidence;
  const last = turns.findLastIndex(({ speaker }, at) => speaker !== "caller" && !isWordless(evidence, at));
  const rest = turns.slice(last + 1);
  const waiting = rest.filter(({ speaker, text }) => speaker === "caller" && !isClosing(text));
  const first = waiting[0];
  if (first === undefined || toolCalls.some(({ startMs }) => startMs > first.startMs)) return null;
  const hasWordless = rest.some(({ speaker }) => speaker === "agent");
  if (!hasWordless && !failedToAnswer(evidence) && waiting.length < 2) return null;
  return `The agent answered nothing from turn ${turns.indexOf(first)} on.`;
}

const failedToAnswer = ({ ending }: Evidence): boolean => /^agent_(?:error|silent)$/.test(ending?.reason ?? "");

const CLOSING = ["bye", "goodbye", "thanks", "thank you", "thats all", "that is all", "good night", "great", "perfect"];

export const isClosing = (text: string | null): boolean =>
  text !== null && !text.includes("?") && hasAny(spaced(text.slice(0, 500)), CLOSING);

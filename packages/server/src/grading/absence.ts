import type { Evidence } from "./evidence.ts";
import { hasAny, spaced } from "./words/sentences.ts";
import { wordsOf } from "./words/words.ts";

/**
 * Returns why the agent may have had no time to act: the conversation is incomplete, or a limit of the run ended the conversation. Returns
 * null otherwise.
 */
export const cutShort = ({ partial, ending }: Evidence): string | null =>
  partial ?? (ending?.by === "limit" ? `A limit of the run ended the conversation (${ending.reason}).` : null);

/**
 * Pause between two turns of the caller in milliseconds. If the pause is shorter, the turns count as one turn that speech recognition has
 * split.
 */
export const SAME_SPEECH_MS = 1_500;

/** Returns whether a turn of the agent has neither words nor a tool call. Such a turn is no answer. */
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
 * Returns why the agent seems to have stopped answering; null if the agent seems to answer. The agent has stopped in one of two cases.
 * After the agent's last words, the caller spoke at least twice without a farewell. Or the caller spoke once and got an answer without
 * words.
 */
export function stoppedAnswering(evidence: Evidence): string | null {
  const { turns, toolCalls } = evidence;
  const last = turns.findLastIndex(({ speaker }, at) => speaker !== "caller" && !isWordless(evidence, at));
  const rest = turns.slice(last + 1);
  const waiting = rest.filter(({ speaker, text }) => speaker === "caller" && !isClosing(text));
  const first = waiting[0];
  if (first === undefined || toolCalls.some(({ startMs }) => startMs > first.startMs)) return null;
  const hasWordless = rest.some(({ speaker }) => speaker === "agent");
  if (!hasWordless && waiting.length < 2) return null;
  return `The agent answered nothing from turn ${turns.indexOf(first)} on.`;
}

const CLOSING = ["bye", "goodbye", "thanks", "thank you", "thats all", "that is all", "good night", "great", "perfect"];

/** Returns whether a text is a farewell that needs no answer. */
export const isClosing = (text: string | null): boolean =>
  text !== null && !text.includes("?") && hasAny(spaced(text.slice(0, 500)), CLOSING);

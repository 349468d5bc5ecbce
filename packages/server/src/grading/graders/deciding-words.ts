import type { FailedConversation, FailedGrade } from "./failed-conversation.ts";

/** `quote` is the part of the turn that the grade cites, if it cites words. `words` are null when the turn and the quote are unknown. */
type DecidingTurn = { turn: number | null; words: string | null; quote: string | null };

/** Words of a conversation that decided a failure, and the part of them that the grade cites. */
export type DecidingWords = { words: string; quote: string | null; traceId: string | null };

/** Returns the turn that decided a grade: one of its evidence, of the agent if possible, or else the turn of a tool call. */
export function decidingTurnOf(
  { evidence }: Pick<FailedGrade, "evidence">,
  { turns, toolCalls }: FailedConversation["conversation"],
): DecidingTurn {
  const spoken = evidence.filter(({ turn }) => turn !== null);
  const shown = spoken.find(({ turn }) => turns[turn!]?.role === "agent") ?? spoken[0];
  const calling = evidence.flatMap(({ toolCall }) => toolCalls[toolCall ?? -1]?.turnIndex ?? [])[0];
  const turn = shown?.turn ?? calling ?? null;
  const quote = shown?.quote ?? null;
  return { turn, words: (turn === null ? null : turns[turn]?.text) ?? quote, quote };
}

/** Returns the words that decided the failure, of the grade about `turn` if there is one; null when no grade has words. */
export function decidingWordsOf(
  { grades, conversation, traceId }: Pick<FailedConversation, "grades" | "conversation" | "traceId">,
  turn: number | null,
): DecidingWords | null {
  const known = grades
    .map((grade) => decidingTurnOf(grade, conversation))
    .filter(({ words }) => words !== null && words.trim() !== "");
  const found = known.find((each) => turn !== null && each.turn === turn) ?? known[0];
  return found === undefined ? null : { words: found.words!, quote: found.quote, traceId };
}

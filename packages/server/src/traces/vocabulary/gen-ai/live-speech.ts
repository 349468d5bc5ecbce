import type { StoredSpan } from "../../stored-span.ts";
import type { ModelRequest } from "../chat-turns.ts";
import { messagesOf } from "../chat-messages.ts";
import { EMPTY_TURN } from "../empty-turn.ts";
import type { DraftOf, SpeechPeriod, TurnDraft } from "../vocabulary.ts";

type Speech = { userSpeech: DraftOf<SpeechPeriod>[]; turns: TurnDraft[] };

/**
 * Returns the user's speech in a live session, and the turns with the times of the speech. Each speech of the user has a span. A speech
 * belongs to the user turn of the next request. When there is no such turn, for example because the sender withholds messages, the speech
 * becomes a new turn. `speeches` and `requests` must be sorted by start.
 */
export function liveSpeech(
  speeches: readonly StoredSpan[],
  requests: readonly ModelRequest[],
  turns: readonly TurnDraft[],
): Speech {
  const userSpeech: DraftOf<SpeechPeriod>[] = [];
  const added: TurnDraft[] = [];
  const turnsOfUser = turns.filter(({ role }) => role === "user");
  let next = 0;
  const take = (turn: TurnDraft | undefined, isBefore: (span: StoredSpan) => boolean) => {
    const spans: StoredSpan[] = [];
    while (next < speeches.length && isBefore(speeches[next]!)) spans.push(speeches[next++]!);
    if (spans.length === 0) return;
    const own = turn ?? { role: "user", text: null, startNs: 0n, endNs: null, ...EMPTY_TURN, spanIds: [] };
    if (turn === undefined) added.push(own);
    own.startNs = spans[0]!.startNs;
    own.endNs = spans.at(-1)!.endNs;
    own.text ??= wordsOf(spans);
    for (const { spanId, startNs, endNs } of spans) {
      own.spanIds.push(spanId);
      if (endNs !== null) userSpeech.push({ startNs, endNs, spanId, turn: own });
    }
  };
  for (const { span } of requests) {
    const turn = turnsOfUser.findLast(({ spanIds }) => spanIds[0] === span.spanId);
    take(turn, ({ startNs }) => startNs <= span.startNs);
  }
  take(undefined, () => true);
  return { userSpeech, turns: [...turns, ...added] };
}

const wordsOf = (spans: readonly StoredSpan[]): string | null =>
  spans
    .flatMap(({ attributes }) => messagesOf(attributes["gen_ai.input.messages"]))
    .flatMap(({ role, text }) => (role === "user" && text !== null ? [text] : []))
    .join(" ") || null;

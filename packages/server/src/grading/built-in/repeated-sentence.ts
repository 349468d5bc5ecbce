import { type Decision, failed, notGraded, passed } from "../decision.ts";
import { excerpt } from "../bounds.ts";
import { type Evidence, type EvidenceTurn, readText } from "../evidence.ts";
import { hasAny, sentencesOf, spaced } from "../words/sentences.ts";

/**
 * Smallest number of words of a sentence that is checked. Agents repeat shorter sentences for good reasons, such as "One moment, please."
 */
const WORDS_MIN = 5;
const TIMES_MAX = 2;

const ASKS_AGAIN = [
  "repeat",
  "again",
  "pardon",
  "what did you say",
  "say that",
  "didnt hear",
  "didnt catch",
  "cant hear",
  "sorry",
  "hello",
  "what",
];
/** An agent may repeat these phrases after each request of the caller. */
const CLOSING = ["anything else", "something else", "help you with"];

export function repeatedSentence({ turns }: Evidence): Decision {
  const turnsBySentence = new Map<string, number[]>();
  let previous = null as { turn: number; words: string } | null;
  for (const [turn, { speaker, text }] of turns.entries()) {
    if (speaker !== "agent" || text === null) continue;
    const words = spaced(readText(turns[turn]!)!);
    if (previous?.words === words && isLong(words) && !wasAskedAgain(turns, previous.turn, turn))
      return failed("The agent said the same thing twice in a row.", proofs(turns, [previous.turn, turn]));
    previous = { turn, words };
    for (const sentence of new Set(sentencesOf(readText(turns[turn]!)!).map((each) => each.words))) {
      const before = turnsBySentence.get(sentence) ?? [];
      const isRepeat = isLong(sentence) && !hasAny(sentence, CLOSING);
      if (!isRepeat || (before.length > 0 && wasAskedAgain(turns, before.at(-1)!, turn))) continue;
      turnsBySentence.set(sentence, [...before, turn]);
      if (before.length >= TIMES_MAX)
        return failed(
          `The agent said the same sentence ${before.length + 1} times: "${excerpt(sentence.trim())}".`,
          proofs(turns, [...before, turn]),
        );
    }
  }
  return previous === null ? notGraded("The agent's words are not known.") : passed("The agent did not repeat itself.");
}

const isLong = (words: string) => words.trim().split(" ").length >= WORDS_MIN;

const wasAskedAgain = (turns: readonly EvidenceTurn[], from: number, to: number) =>
  turns
    .slice(from + 1, to)
    .some(
      ({ speaker, text }) => speaker === "caller" && (text === null || hasAny(spaced(text.slice(0, 500)), ASKS_AGAIN)),
    );

const proofs = (turns: readonly EvidenceTurn[], indexes: readonly number[]) =>
  indexes.map((turn) => ({ turn, quote: excerpt(turns[turn]!.text ?? "") }));

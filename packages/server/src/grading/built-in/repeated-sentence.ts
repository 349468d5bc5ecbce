import { type Decision, failed, notGraded, passed } from "../decision.ts";
import { shown } from "../bounds.ts";
import { type Evidence, type EvidenceTurn, readText } from "../evidence.ts";
import { hasAny, sentencesOf, spaced } from "../sentences.ts";

/** Shorter ones, like "One moment, please.", are said again with good reason. */
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
/** Said behind each thing that is done. */
const CLOSING = ["anything else", "something else", "help you with"];

export function repeatedSentence({ turns }: Evidence): Decision {
  const heard = new Map<string, number[]>();
  let own = null as { turn: number; words: string } | null;
  for (const [turn, { speaker, text }] of turns.entries()) {
    if (speaker === "caller" || text === null) continue;
    const words = spaced(readText(turns[turn]!)!);
    if (own?.words === words && isLong(words) && !wasAskedAgain(turns, own.turn, turn))
      return failed("The agent said the same twice in a row.", proofs(turns, [own.turn, turn]));
    own = { turn, words };
    for (const sentence of new Set(sentencesOf(readText(turns[turn]!)!).map((each) => each.words))) {
      const before = heard.get(sentence) ?? [];
      const isRepeat = isLong(sentence) && !hasAny(sentence, CLOSING);
      if (!isRepeat || (before.length > 0 && wasAskedAgain(turns, before.at(-1)!, turn))) continue;
      heard.set(sentence, [...before, turn]);
      if (before.length >= TIMES_MAX)
        return failed(
          `The agent said the same ${before.length + 1} times: "${shown(sentence.trim())}".`,
          proofs(turns, [...before, turn]),
        );
    }
  }
  return own === null ? notGraded("What the agent said is not known.") : passed("The agent did not repeat itself.");
}

const isLong = (words: string) => words.trim().split(" ").length >= WORDS_MIN;

const wasAskedAgain = (turns: readonly EvidenceTurn[], from: number, to: number) =>
  turns
    .slice(from + 1, to)
    .some(
      ({ speaker, text }) => speaker === "caller" && (text === null || hasAny(spaced(text.slice(0, 500)), ASKS_AGAIN)),
    );

const proofs = (turns: readonly EvidenceTurn[], places: readonly number[]) =>
  places.map((turn) => ({ turn, quote: shown(turns[turn]!.text ?? "") }));

import { hasAny, type Sentence, sentencesOf } from "./words/sentences.ts";

/**
 * A sentence in which the agent claims a completed action. `tools` are words that occur in the names of tools that could have done the
 * action.
 */
export type Claim = Sentence & { tools: string[] };

const ACTIONS: readonly { done: string[]; tools: string[] }[] = [
  ["booked reserved", "book reserve reservation booking"],
  ["scheduled rescheduled", "schedule reschedule book appointment calendar"],
  ["canceled cancelled", "cancel"],
  ["sent emailed texted mailed", "send email mail sms text message notify"],
  ["charged refunded paid", "charge refund pay payment bill"],
  ["updated changed modified", "update change modify edit set reschedule"],
  ["ordered placed", "order place purchase buy"],
  ["transferred", "transfer forward"],
  ["registered enrolled", "register enroll signup"],
  ["created opened", "create open add new ticket"],
].map(([done, tools]) => ({ done: done!.split(" "), tools: tools!.split(" ") }));

const SUBJECTS = ["ive", "i have", "i just", "i", "weve", "we have", "we"];
const ADVERBS = ["", " just", " now", " already", " successfully", " gone ahead and"];
const PASSIVE =
  /\b(?:has|have) been (?:now |successfully |just )?$|\b(?:is|are|youre|you are) (?:all |now |all set and |successfully )?$/;

/** A sentence with one of these words does not claim a completed action. */
const UNREAL = [
  "if",
  "once",
  "when",
  "would",
  "will",
  "before",
  "after",
  "not",
  "havent",
  "hasnt",
  "unless",
  "until",
  "could",
  "should",
];

/** Returns the sentences that claim a completed action. Only English is supported. */
export const claimsOf = (text: string): Claim[] =>
  sentencesOf(text).flatMap((sentence) => {
    if (sentence.text.endsWith("?") || hasAny(sentence.words, UNREAL)) return [];
    const action = ACTIONS.find(({ done }) => done.some((word) => isClaimed(word, sentence.words)));
    return action ? { ...sentence, tools: action.tools } : [];
  });

function isClaimed(done: string, words: string): boolean {
  const at = words.indexOf(` ${done} `);
  if (at < 0) return false;
  const before = words.slice(0, at + 1);
  return (
    SUBJECTS.some((subject) => ADVERBS.some((adverb) => before.endsWith(` ${subject}${adverb} `))) ||
    PASSIVE.test(before)
  );
}

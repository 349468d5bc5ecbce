import { type Caller, hangUp, lastHeard, say, type Said } from "./caller.ts";
import { askedFor, type FactKind, factsOf, stated } from "./facts.ts";

const FAREWELL =
  /\b(?:good ?bye|bye|have a (?:great|good|nice|lovely|wonderful) (?:day|evening|night|weekend|one)|take care)\b/i;
const ANYTHING_ELSE = /\b(?:anything else|something else|what else|any other)\b/i;
const CONFIRM =
  /\b(?:is that (?:right|correct|okay|ok)|correct\?|right\?|shall i|should i|would you like (?:me )?to|do you want me to|can you confirm|may i|is that all right|does that (?:work|sound))/i;
const GOAL =
  /\b(?:calls?|wants?|needs?|would like|tries|trying|hopes?|hoping|phones?|rings?|asks?|calling|wishes)(?: (?:in|up|again|back))? to ((?:[^.\n]|\.(?=\d)){3,300})/i;
const SAME_ANSWERS_MAX = 3;

/** Of several ways to say the same, one. */
type Pick = (choices: readonly string[]) => string;

/**
 * A caller that needs no model, the same for the same `random`: opens with the scenario's goal, answers what it is asked from the scenario's facts, agrees
 * when asked to confirm, and hangs up when the agent has closed.
 */
export function ruleBasedCaller(scenario: string, random: () => number): Caller {
  const pick: Pick = (choices) => choices[Math.floor(random() * choices.length)]!;
  const facts = factsOf(scenario);
  const told = new Map<string, number>();

  function answer(kinds: FactKind[]): string | undefined {
    const known = kinds.filter((kind) => facts.has(kind));
    return known.length === 0 ? undefined : known.map((kind) => stated(kind, facts.get(kind)!)).join(" ");
  }

  function reply(heard: string): string {
    const asksFor = askedFor(heard);
    return (
      answer(asksFor) ??
      (ANYTHING_ELSE.test(heard)
        ? pick(["No, that's all. Thank you.", "No, thank you, that was everything."])
        : undefined) ??
      (CONFIRM.test(heard) ? pick(["Yes, please.", "Yes, that's right."]) : undefined) ??
      (asksFor.length > 0 ? pick(["I'm not sure, sorry.", "I don't have that with me."]) : undefined) ??
      (heard.includes("?")
        ? (closestSentence(scenario, heard) ?? "I'm not sure about that.")
        : pick(["Okay.", "All right."]))
    );
  }

  return {
    async next(said: readonly Said[]) {
      if (!said.some(({ role }) => role === "caller")) return say(openingOf(scenario, pick));
      const heard = lastHeard(said);
      if (FAREWELL.test(heard) && !heard.trimEnd().endsWith("?")) return hangUp("heard_enough");
      const text = reply(heard);
      const times = (told.get(text) ?? 0) + 1;
      told.set(text, times);
      if (times > SAME_ANSWERS_MAX) return hangUp("gave_up", "The conversation went in circles.");
      return say(text);
    },
  };
}

/** The goal, as the person would say it. */
function openingOf(scenario: string, pick: Pick): string {
  const greeting = pick(["Hi,", "Hello,", "Good day,"]);
  const goal = GOAL.exec(scenario)?.[1]?.trim();
  if (goal) return `${greeting} I'd like to ${inFirstPerson(goal)}.`;
  return `${greeting} ${inFirstPerson(scenario.split(/(?<=[.!?])\s+/)[0]!.trim())}`;
}

const PRONOUNS: Record<string, string> = {
  their: "my",
  his: "my",
  her: "my",
  theirs: "mine",
  themselves: "myself",
  they: "I",
};

const inFirstPerson = (text: string) =>
  text.replaceAll(/\b(?:their|his|her|theirs|themselves|they)\b/gi, (word) => PRONOUNS[word.toLowerCase()]!);

const MEANINGFUL = /[\p{L}\p{N}]{4,}/gu;

/** The sentence of the scenario that shares most words with the question, when any does. */
function closestSentence(scenario: string, question: string): string | undefined {
  const asked = new Set(question.toLowerCase().match(MEANINGFUL));
  let best: { shared: number; sentence: string } | undefined;
  for (const sentence of scenario.split(/(?<=[.!?])\s+|\n+/)) {
    const shared = [...new Set(sentence.toLowerCase().match(MEANINGFUL))].filter((word) => asked.has(word)).length;
    if (shared > (best?.shared ?? 0)) best = { shared, sentence };
  }
  return best && inFirstPerson(best.sentence.trim());
}

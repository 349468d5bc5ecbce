import { hangUp, lastHeard, say, type SimulatedCaller } from "./caller.ts";
import { askedFor, type FactKind, factsOf, stated } from "./facts.ts";

const FAREWELL =
  /\b(?:good ?bye|bye|have a (?:great|good|nice|lovely|wonderful) (?:day|evening|night|weekend|one)|take care)\b/i;
const ANYTHING_ELSE = /\b(?:anything else|something else|what else|any other)\b/i;
const CONFIRM =
  /\b(?:is that (?:right|correct|okay|ok)|correct\?|right\?|shall i|should i|would you like (?:me )?to|do you want me to|can you confirm|may i|is that all right|does that (?:work|sound))/i;
const GOAL =
  /\b(?:calls?|wants?|needs?|would like|tries|trying|hopes?|hoping|phones?|rings?|asks?|calling|wishes)(?: (?:in|up|again|back))? to ((?:[^.\n]|\.(?=\d)){3,300})/i;
const SAME_ANSWERS_MAX = 3;

/** Chooses one of several ways to say the same thing. */
type Choose = (choices: readonly string[]) => string;

/**
 * Returns a caller that needs no model and always behaves the same for the same `random`. It opens with the scenario's goal,
 * answers questions from the scenario's facts, agrees when the agent asks it to confirm, and hangs up after a farewell.
 */
export function ruleBasedCaller(scenario: string, random: () => number): SimulatedCaller {
  const choose: Choose = (choices) => choices[Math.floor(random() * choices.length)]!;
  const facts = factsOf(scenario);
  const timesSaid = new Map<string, number>();

  function answer(kinds: FactKind[]): string | undefined {
    const answerable = kinds.filter((kind) => facts.has(kind));
    return answerable.length === 0 ? undefined : answerable.map((kind) => stated(kind, facts.get(kind)!)).join(" ");
  }

  function reply(heard: string): string {
    const asksFor = askedFor(heard);
    return (
      answer(asksFor) ??
      (ANYTHING_ELSE.test(heard)
        ? choose(["No, that's all. Thank you.", "No, thank you, that was everything."])
        : undefined) ??
      (CONFIRM.test(heard) ? choose(["Yes, please.", "Yes, that's right."]) : undefined) ??
      (asksFor.length > 0 ? choose(["I'm not sure, sorry.", "I don't have that with me."]) : undefined) ??
      (heard.includes("?")
        ? (closestSentence(scenario, heard) ?? "I'm not sure about that.")
        : choose(["Okay.", "All right."]))
    );
  }

  return {
    async next(conversation) {
      if (!conversation.some(({ role }) => role === "caller")) return say(openingOf(scenario, choose));
      const heard = lastHeard(conversation);
      if (FAREWELL.test(heard) && !heard.trimEnd().endsWith("?")) return hangUp("heard_enough");
      const text = reply(heard);
      const times = (timesSaid.get(text) ?? 0) + 1;
      timesSaid.set(text, times);
      if (times > SAME_ANSWERS_MAX) return hangUp("gave_up", "The conversation went in circles.");
      return say(text);
    },
  };
}

/** The goal, as the person would say it. */
function openingOf(scenario: string, choose: Choose): string {
  const greeting = choose(["Hi,", "Hello,", "Good day,"]);
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

/** Returns the scenario's sentence that shares the most words with the question, or undefined when no sentence shares any. */
function closestSentence(scenario: string, question: string): string | undefined {
  const asked = new Set(question.toLowerCase().match(MEANINGFUL));
  let best: { shared: number; sentence: string } | undefined;
  for (const sentence of scenario.split(/(?<=[.!?])\s+|\n+/)) {
    const shared = [...new Set(sentence.toLowerCase().match(MEANINGFUL))].filter((word) => asked.has(word)).length;
    if (shared > (best?.shared ?? 0)) best = { shared, sentence };
  }
  return best && inFirstPerson(best.sentence.trim());
}

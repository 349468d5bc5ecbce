import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Check, WantedSpeech } from "../check.ts";
import { openQuote, takePattern, takeQuoted } from "../grammar/literals.ts";
import { boundsOf, boundsWords, COUNT, countOf } from "../grammar/quantity.ts";
import { mentionsOf, type Mentions, turnsOf } from "../spoken.ts";
import { byAbsence, unlessDoubted } from "../missing-evidence.ts";
import type { Form } from "./form.ts";

type Says = Check & { form: "says" };

const VERB =
  /^(?:(?:says?|mentions?)\s+(?:either\s+)?(?:the\s+)?(?:exact\s+)?(?:words?\s+|phrase\s+)?|uses?\s+the\s+(?:words?|phrase)\s+)(?=["'“‘«/])/i;
const FIRST_TURNS = new RegExp(
  `^\\s+(?:with)?in\\s+(?:the\\s+|its\\s+)?first\\s+(?:(?<count>${COUNT})\\s+)?turns?$`,
  "i",
);
const OPEN_PATTERN =
  "The pattern does not close, or is empty. Write it between two slashes, like /confirmation (number|code)/i.";

export const says: Form<Says> = {
  name: "says",
  title: "says, never says",
  examples: [
    'says "recorded line"',
    "says /confirmation (number|code)/i",
    'says "recorded line" within first 2 turns',
    'says "hello" in its first turn',
    'says "one moment" or "just a second"',
    'never says "guarantee"',
    "does not say /refund/i",
    'never says "sir" or "ma\'am"',
    'never says "sorry" more than twice',
  ],
  reads: "the words of the agent that were played",
  unsure:
    "the agent said nearly the words (another ending, a contraction, joined words), was interrupted at them, or some of its words are unknown",
  judgeCanTell: true,
  nearly: /^(?:says?|mentions?|uses?\s+the\s+(?:word|phrase))\b/i,
  read({ never, text }) {
    const verb = VERB.exec(text);
    if (verb === null) return undefined;
    const speech = takeSpeech(text.slice(verb[0].length));
    if (speech === undefined || "problem" in speech) return speech && { form: "unreadable", problem: speech.problem };
    const { any, rest } = speech;
    const base = { form: "says" as const, any };
    const once = never ? { least: 0, most: 0 } : { least: 1, most: Infinity };
    if (rest.trim() === "") return { ...base, ...once, firstTurns: null };
    const window = FIRST_TURNS.exec(rest);
    if (window !== null) return { ...base, ...once, firstTurns: countOf(window.groups!["count"] ?? "1") };
    const bounds = any.every(({ kind }) => kind === "words") && any.length === 1 ? boundsOf(rest, never) : undefined;
    return bounds && { ...base, ...bounds, firstTurns: null };
  },
  echo({ any, least, most, firstTurns }) {
    const never = most === 0;
    const words = any.map((said) => (said.kind === "words" ? `"${said.text}"` : patternText(said))).join(" or ");
    const times = never ? undefined : boundsWords({ least, most });
    const turns = firstTurns === null ? "" : ` in its first ${firstTurns === 1 ? "turn" : `${firstTurns} turns`}`;
    return `The agent ${never ? "never says" : "says"} ${words}${times === undefined ? "" : ` ${times}`}${turns}.`;
  },
  decide: decideSays,
};

const patternText = ({ pattern }: WantedSpeech & { kind: "pattern" }) =>
  `words that match /${pattern.source}/${pattern.flags}`;

type TakenSpeech = { any: WantedSpeech[]; rest: string };

function takeSpeech(text: string): TakenSpeech | { problem: string } | undefined {
  const any: WantedSpeech[] = [];
  let rest = text;
  for (;;) {
    const literal = takePattern(rest) ?? takeQuoted(rest);
    if (literal === undefined) return rest.startsWith("/") ? { problem: OPEN_PATTERN } : openQuote(rest);
    const { value } = literal;
    if (typeof value !== "string" && "problem" in value) return value;
    any.push(typeof value === "string" ? { kind: "words", text: value } : { kind: "pattern", pattern: value });
    rest = literal.rest;
    const next = /^(?:\s*,\s*(?:n?or\s+)?|\s+n?or\s+)(?=["'“‘«/])/i.exec(rest);
    if (next === null) return { any, rest };
    rest = rest.slice(next[0].length);
  }
}

function decideSays({ any, least, most, firstTurns }: Says, evidence: Evidence): Decision {
  const all = turnsOf(evidence, "agent");
  const spoken = all.slice(0, firstTurns ?? Infinity);
  const { sure, possible, doubt } = together(any.map((said) => mentionsOf(said, spoken, all)));
  const count = sure.length + possible.length;
  const proofs = [...sure, ...possible.map(({ proof }) => proof)];
  const reason = reasonOf(sure, most, firstTurns);
  const shown = most === 0 || most === Infinity ? sure.slice(0, 1) : sure;
  if (sure.length > most) return failed(reason, shown);
  const windowIsFull = firstTurns !== null && spoken.length === firstTurns;
  if (sure.length >= least && most === Infinity) return passed(reason, shown);
  if (possible.length > 0 && !(sure.length >= least && count <= most))
    return inconclusive(`${reason} ${possible[0]!.why}`, proofs);
  const decision = (sure.length >= least ? passed : failed)(reason, shown);
  return windowIsFull ? unlessDoubted(decision, doubt) : byAbsence(decision, evidence, doubt);
}

const together = (mentions: readonly Mentions[]): Mentions => ({
  sure: mentions.flatMap(({ sure }) => sure),
  possible: mentions.flatMap(({ possible }) => possible),
  doubt: mentions.find(({ doubt }) => doubt !== null)?.doubt ?? null,
});

function reasonOf(sure: Mentions["sure"], most: number, firstTurns: number | null): string {
  const where =
    firstTurns === null ? "" : ` within the agent's first ${firstTurns === 1 ? "turn" : `${firstTurns} turns`}`;
  if (sure.length === 0) return `The agent never said it${where}.`;
  if (most === 0 || most === Infinity) return `The agent said it in turn ${sure[0]!.turn}.`;
  return `The agent said it ${sure.length === 1 ? "once" : `${sure.length} times`}${where}.`;
}

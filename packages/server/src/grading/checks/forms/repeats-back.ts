import { excerpt } from "../../bounds.ts";
import { type Decision, failed, inconclusive, passed, type Proof } from "../../decision.ts";
import { type Evidence, readText } from "../../evidence.ts";
import { wordsOf } from "../../words/words.ts";
import type { Check } from "../check.ts";
import { openQuote, takeQuoted } from "../grammar/literals.ts";
import { byAbsence } from "../missing-evidence.ts";
import { type IndexedTurn, mentionsOf, turnsOf } from "../spoken.ts";
import { inFigures, type Moment, momentOf, momentsIn, sameMoment } from "../values/moment.ts";
import type { Form } from "./form.ts";

type RepeatsBack = Check & { form: "repeats_back" };

/** Matches a word of a value without quotes: a word with a digit, or a part of a date, a time or a price. */
const BARE_WORD =
  /^(?:\S*\d\S*|am|pm|a\.m\.|p\.m\.|noon|of|at|usd|eur|gbp|dollars|euros|pounds|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*,?)$/i;
const FORMS = [
  /^(?:repeats?|reads?|says?)\s+back\s+(?<value>[^]+?)(?:\s+to\s+the\s+(?:caller|customer|user))?$/i,
  /^(?:repeats?|reads?)\s+(?<value>[^]+?)\s+(?:back(?:\s+to\s+the\s+(?:caller|customer|user))?)$/i,
];

export const repeatsBack: Form<RepeatsBack> = {
  name: "repeats_back",
  title: "repeats back, never repeats back",
  examples: [
    "repeats back 555-0134",
    'repeats back "Ana Silva"',
    "repeats back June 9",
    "reads 4711 back to the caller",
  ],
  reads: "the words of the agent after the caller said the value, or all its words when the caller did not say it",
  unsure:
    "the agent spelled with a spelling alphabet, named a day or a time that may be another one, was interrupted, or some of its words are unknown",
  judgeCanTell: true,
  nearly: /^(?:repeats?|reads?|confirms?|restates?|spells?)\b/i,
  read({ never, text }) {
    const value = FORMS.map((form) => form.exec(text)?.groups?.["value"]).find((found) => found !== undefined);
    if (value === undefined) return undefined;
    const quoted = takeQuoted(value);
    const open = quoted === undefined ? openQuote(value) : undefined;
    if (open !== undefined) return { form: "unreadable", ...open };
    if (quoted?.rest.trim() === "") return { form: "repeats_back", text: quoted.value, never };
    const isBare = /\d/.test(value) && value.split(/\s+/).every((word) => BARE_WORD.test(word));
    return isBare ? { form: "repeats_back", text: value, never } : undefined;
  },
  echo: ({ text, never }) =>
    `The agent ${never ? "never says" : "says"} ${/^[\d\s().+-]+$/.test(text) ? text : `"${text}"`} back to the caller.`,
  decide: decideRepeatsBack,
};

function decideRepeatsBack({ text, never }: RepeatsBack, evidence: Evidence): Decision {
  const callerProof = locate(text, turnsOf(evidence, "caller")).sure[0];
  const all = turnsOf(evidence, "agent");
  const spoken = all.filter(({ index }) => callerProof === undefined || index > callerProof.turn);
  const { sure, possible, doubt } = locate(text, spoken, all);
  if (sure[0] !== undefined)
    return (never ? failed : passed)(`The agent said it back in turn ${sure[0].turn}.`, [sure[0]]);
  const reason = callerProof
    ? `The caller said it in turn ${callerProof.turn}, and the agent did not repeat it.`
    : "The agent never said it.";
  if (possible[0] !== undefined) return inconclusive(`${reason} ${possible[0].why}`, [possible[0].proof]);
  const proofs = callerProof ? [callerProof] : [];
  return byAbsence(
    (never ? passed : failed)(reason, proofs),
    evidence,
    doubt,
    spellingDoubt(spoken),
    /\d/.test(text) ? languageDoubt(spoken) : null,
  );
}

function locate(text: string, turns: readonly IndexedTurn[], all = turns) {
  const mentions = mentionsOf({ kind: "words", text }, turns, all);
  const wanted = momentOf(text);
  if (wanted === undefined) return mentions;
  // Words that look like one date may belong to two parts of a sentence, as in "in June, 9 guests".
  const why = "The agent named a day or a time that may be this one.";
  if (wanted.month !== undefined) mentions.possible.push(...mentions.sure.splice(0).map((proof) => ({ proof, why })));
  for (const turn of turns) {
    for (const { proof, same } of momentProofs(wanted, turn)) {
      if (same && !turn.unheard) mentions.sure.push(proof);
      else mentions.possible.push({ proof, why });
    }
  }
  return mentions;
}

function momentProofs(wanted: Moment, turn: IndexedTurn): { proof: Proof & { turn: number }; same: true | null }[] {
  const text = (readText(turn) ?? "").slice(0, 2_000);
  const figures = inFigures(text);
  const found = (figures === text ? [text] : [text, figures]).flatMap((each) =>
    momentsIn(each).flatMap(({ moment, start, end }) => {
      const same = sameMoment(wanted, moment);
      const isTimeOnly = wanted.month !== undefined && moment.month === undefined;
      if (same === false || isTimeOnly || (wanted.hour !== undefined && moment.hour === undefined)) return [];
      return { proof: { turn: turn.index, quote: each === text ? excerpt(text.slice(start, end)) : null }, same };
    }),
  );
  const isDayAlone = wanted.hour === undefined && new RegExp(`\\bthe ${wanted.day}\\b(?![:.]\\d)`, "i").test(figures);
  return isDayAlone ? [...found, { proof: { turn: turn.index, quote: null }, same: null }] : found;
}

const ALPHABET = new Set(
  "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu".split(
    " ",
  ),
);
const ALPHABET_WORDS_MIN = 3;

/** Words for numbers and months in German, Spanish, French, Italian and Portuguese. Words that also are English are filtered out. */
const FOREIGN = new Set(
  `null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig hundert tausend
  januar februar märz juni juli oktober dezember
  cero uno dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cuarenta cincuenta cien mil
  enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
  zéro deux trois quatre cinq sept huit neuf dix vingt trente quarante cinquante cent mille
  janvier février mars avril juin juillet août septembre octobre novembre décembre
  zero due tre quattro cinque sei sette otto nove dieci venti trenta cento
  gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
  um dois três quatro sete oito dez vinte janeiro fevereiro março junho julho setembro outubro novembro dezembro`
    .split(/\s+/)
    .map((word) => wordsOf(word)[0]!.text)
    .filter((word) => !/^(?:zero|due|cent|mars|null|um|sei|sept|mayo|elf|mil|\d+)$/.test(word)),
);

const languageDoubt = (turns: readonly IndexedTurn[]): string | null =>
  turns.some((turn) => wordsOf(readText(turn) ?? "").some(({ text }) => FOREIGN.has(text)))
    ? "Numbers and months in words are understood in English alone."
    : null;

function spellingDoubt(turns: readonly IndexedTurn[]): string | null {
  const spells = turns.some((turn) => {
    const words = wordsOf(readText(turn) ?? "").map((word) => word.text);
    const asIn = words.some(
      (word, at) =>
        (word === "as" && words[at + 1] === "in") || (word === "for" && /^[b-hj-z]$/.test(words[at - 1] ?? "")),
    );
    return asIn || words.filter((word) => ALPHABET.has(word)).length >= ALPHABET_WORDS_MIN;
  });
  return spells ? "The agent spelled something with a spelling alphabet." : null;
}

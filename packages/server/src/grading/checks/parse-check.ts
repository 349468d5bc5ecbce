import type { Check, WantedSpeech } from "./check.ts";
import { takePattern, takeQuoted } from "./literals.ts";
import { readArguments } from "./wanted-arguments.ts";

/**
 * Returns the check that a behavior in one of the forms of docs/behaviors.md describes; undefined for any other sentence,
 * which the judge decides. Never throws.
 */
export function parseCheck(behavior: string): Check | undefined {
  const text = behavior
    .trim()
    .replace(/^(?:the\s+)?agent\s+/i, "")
    .replace(/\.$/, "");
  for (const read of FORMS) {
    const check = read(text);
    if (check !== undefined) return check;
  }
  return undefined;
}

const FORMS: readonly ((text: string) => Check | undefined)[] = [
  calls,
  handlesError,
  says,
  repeatsBack,
  asksFor,
  timing,
  ending,
];

const TOOL = "(`[^`]{1,200}`|[A-Za-z_][\\w.:/-]*)(?:\\(\\))?";
const CALLS = new RegExp(
  `^(calls|never\\s+calls|does\\s+not\\s+call|doesn['’]t\\s+call)\\s+${TOOL}(?:\\s+([^]+))?$`,
  "i",
);
const BEFORE = new RegExp(`^(before|after)\\s+${TOOL}$`, "i");
const TIMES = /(?:^|\s+)(?:(exactly|only|at\s+most|at\s+least)\s+)?(?:(\d{1,4})\s+times?|(once|twice))$/i;

/** After "calls" these words name no tool, as in "calls back the customer", unless they are in backticks. */
const NOT_TOOLS = new Set(
  "a an the it him her them us me you back again out off up on in for to at by if when before after with customer caller user client patient guest someone anyone everyone security police support attention upon".split(
    " ",
  ),
);

function calls(text: string): Check | undefined {
  const [, verb, word, tail = ""] = CALLS.exec(text) ?? [];
  const tool = toolName(word);
  if (verb === undefined || tool === undefined) return undefined;
  const never = !/^calls$/i.test(verb);

  const order = never ? null : BEFORE.exec(tail);
  const other = toolName(order?.[2]);
  if (order && other !== undefined) {
    const [first, second] = order[1]!.toLowerCase() === "before" ? [tool, other] : [other, tool];
    return { form: "calls_before", first, second };
  }

  const times = never ? null : TIMES.exec(tail);
  const bounds = never ? { least: 0, most: 0 } : boundsOf(times);
  const listed = times ? tail.slice(0, times.index) : tail;
  if (listed === "") return { form: "calls", tool, arguments: null, ...bounds };
  const list = /^with\s+([^]+)$/i.exec(listed)?.[1];
  const wanted = list === undefined ? undefined : readArguments(list);
  if (wanted === undefined) return undefined;
  if ("problem" in wanted) return { form: "unreadable", problem: wanted.problem };
  return { form: "calls", tool, arguments: wanted, ...bounds };
}

function toolName(word: string | undefined): string | undefined {
  if (word?.startsWith("`")) return word.slice(1, -1);
  return word === undefined || NOT_TOOLS.has(word.toLowerCase()) ? undefined : word;
}

function boundsOf(times: RegExpExecArray | null): { least: number; most: number } {
  if (times === null) return { least: 1, most: Infinity };
  const [, bound = "exactly", digits, word] = times;
  const count = digits === undefined ? (word!.toLowerCase() === "once" ? 1 : 2) : Number(digits);
  if (/least$/i.test(bound)) return { least: count, most: Infinity };
  if (/most$/i.test(bound)) return { least: 0, most: count };
  return { least: count, most: count };
}

const HANDLES = new RegExp(`^handles\\s+(?:an?\\s+|the\\s+)?errors?\\s+(?:of|from|in)\\s+${TOOL}$`, "i");

function handlesError(text: string): Check | undefined {
  const tool = toolName(HANDLES.exec(text)?.[1]);
  return tool === undefined ? undefined : { form: "handles_error", tool };
}

const SAYS = /^(says|never\s+says|does\s+not\s+say|doesn['’]t\s+say)\s+(?=["'“‘«/])/i;
const FIRST_TURNS = /^\s+(?:with)?in\s+(?:the\s+|its\s+)?first\s+(?:(\d{1,4}|two|three|four|five)\s+)?turns?$/i;
const COUNTS = ["zero", "one", "two", "three", "four", "five"];

function says(text: string): Check | undefined {
  const verb = SAYS.exec(text);
  if (verb === null) return undefined;
  const speech = text.slice(verb[0].length);
  const literal = takePattern(speech) ?? takeQuoted(speech);
  if (literal === undefined) return undefined;
  const { value, rest } = literal;
  const window = FIRST_TURNS.exec(rest);
  if (window === null && rest.trim() !== "") return undefined;
  if (typeof value !== "string" && "problem" in value) return { form: "unreadable", problem: value.problem };
  const said: WantedSpeech =
    typeof value === "string" ? { kind: "words", text: value } : { kind: "pattern", pattern: value };
  return {
    form: "says",
    said,
    never: !/^says$/i.test(verb[1]!),
    firstTurns: window && firstTurns(window[1]?.toLowerCase()),
  };
}

function firstTurns(count: string | undefined): number {
  if (count === undefined) return 1;
  return COUNTS.includes(count) ? COUNTS.indexOf(count) : Number(count);
}

/** Each word of a value without quotes contains a digit, or is part of a date, a time or a price. */
const BARE_WORD =
  /^(?:\S*\d\S*|am|pm|a\.m\.|p\.m\.|noon|of|at|usd|eur|gbp|dollars|euros|pounds|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*,?)$/i;

function repeatsBack(text: string): Check | undefined {
  const value = /^repeats\s+back\s+([^]+)$/i.exec(text)?.[1];
  if (value === undefined) return undefined;
  const quoted = takeQuoted(value);
  if (quoted?.rest.trim() === "") return { form: "repeats_back", text: quoted.value };
  const isBare = /\d/.test(value) && value.split(/\s+/).every((word) => BARE_WORD.test(word));
  return isBare ? { form: "repeats_back", text: value } : undefined;
}

const THING_WORDS_MAX = 6;
/** With one of these words, a text names more than a thing. */
const SENTENCE_WORDS =
  /^(?:and|or|but|before|after|if|when|unless|without|to|that|which|who|because|instead|again|once|twice|only|not|while|until|so|then|at|is|are|was|how|what|where|why|whose|politely|immediately)$/i;

function asksFor(text: string): Check | undefined {
  const thing = /^asks\s+for\s+([\p{L}\p{N}\s'’-]+)$/iu.exec(text)?.[1]?.trim();
  const words = thing?.split(/\s+/) ?? [];
  if (!thing || words.length > THING_WORDS_MAX || words.some((word) => SENTENCE_WORDS.test(word))) return undefined;
  return { form: "asks_for", thing };
}

const DURATION = "(\\d{1,6}(?:\\.\\d{1,3})?)\\s*(ms|milliseconds?|s|secs?|seconds?)";
const RESPONDS = new RegExp(
  `^responds\\s+within\\s+${DURATION}(?:\\s+(?:at\\s+)?\\(?(p50|p90|p95|p99|median)\\)?)?$`,
  "i",
);
const NO_SILENCE = new RegExp(`^(?:leaves\\s+)?no\\s+silence\\s+(?:over|above|longer\\s+than)\\s+${DURATION}$`, "i");
const STOPS = new RegExp(`^stops(?:\\s+(?:speaking|talking))?\\s+within\\s+${DURATION}\\s+when\\s+interrupted$`, "i");

function timing(text: string): Check | undefined {
  const responds = RESPONDS.exec(text);
  if (responds) return { form: "responds_within", ms: msOf(responds), percentile: percentileOf(responds[3]) };
  const silence = NO_SILENCE.exec(text);
  if (silence) return { form: "no_silence_over", ms: msOf(silence) };
  const stops = STOPS.exec(text);
  return stops ? { form: "stops_within", ms: msOf(stops) } : undefined;
}

const msOf = ([, amount, unit]: RegExpExecArray) => Number(amount) * (/^m/i.test(unit!) ? 1 : 1000);

function percentileOf(name: string | undefined): number {
  if (name === undefined) return 100;
  return name.toLowerCase() === "median" ? 50 : Number(name.slice(1));
}

const ENDS = /^(ends|never\s+ends|does\s+not\s+end|doesn['’]t\s+end)\s+the\s+(?:call|conversation)$/i;
const TRANSFERS =
  /^(transfers|never\s+transfers|does\s+not\s+transfer|doesn['’]t\s+transfer)\s+(?:the\s+(?:call|caller|customer)\s+)?to\s+(?:an?\s+)?(?:live\s+)?(?:human|person|human\s+agent|representative|operator)$/i;
const FINISHES = /^finishes\s+within\s+(\d{1,4})\s+turns?$/i;

function ending(text: string): Check | undefined {
  const ends = ENDS.exec(text);
  if (ends) return { form: "ends_call", never: !/^ends$/i.test(ends[1]!) };
  const transfers = TRANSFERS.exec(text);
  if (transfers) return { form: "transfers", never: !/^transfers$/i.test(transfers[1]!) };
  const finishes = FINISHES.exec(text);
  return finishes ? { form: "finishes_within", turns: Number(finishes[1]) } : undefined;
}

/** A kind of information that an agent asks a caller for. */
export type FactKind =
  | "name"
  | "phone"
  | "email"
  | "reference"
  | "time"
  | "date"
  | "birth_date"
  | "people"
  | "nights"
  | "address"
  | "reason";

/** `in` finds the fact in a scenario, `asked` finds the question in the agent's words. */
type FactPattern = { kind: FactKind; in: RegExp; asked: RegExp; answer: (fact: string) => string };

const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";
const COUNT = "(?:\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const words = (source: string) => new RegExp(`\\b(?:${source})\\b`, "i");

/** The more specific question comes first: "date of birth" does not ask for the date of arrival. */
const FACT_PATTERNS: readonly FactPattern[] = [
  {
    kind: "birth_date",
    in: new RegExp(
      `\\bborn (?:on |in )?(?<fact>[^,.;\\n]{3,40})|(?:date of birth|birth ?date|dob)(?: is|:)? (?<also>[^.;\\n]{3,40})`,
      "i",
    ),
    asked: words("date of birth|birth ?date|birthday|when (?:were|was) .{1,20} born|dob"),
    answer: (fact) => `It's ${fact}.`,
  },
  {
    kind: "email",
    in: /(?<fact>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})/,
    asked: words("e-?mail"),
    answer: (fact) => `It's ${fact}.`,
  },
  {
    kind: "phone",
    in: /(?<fact>\+?\(?\d[\d ()-]{5,18}\d)(?![\d-])/,
    asked: words(
      "(?:tele)?phone(?: number)?|mobile|call ?back number|number (?:can|should) (?:we|i) (?:call|reach)|reach you",
    ),
    answer: (fact) => `My number is ${fact}.`,
  },
  {
    kind: "reference",
    in: /\b(?:order|booking|reservation|confirmation|account|member(?:ship)?|policy|ticket|invoice|case|reference|customer)(?: (?:number|code|id|no\.?))?(?: is)?:? #?(?<fact>(?=[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{2,24})\b/i,
    asked: words(
      "(?:order|booking|reservation|confirmation|account|member(?:ship)?|policy|ticket|invoice|case|reference|customer)(?: (?:number|code|id))",
    ),
    answer: (fact) => `It's ${fact}.`,
  },
  {
    kind: "address",
    in: /\b(?<fact>\d{1,5} [A-Z][\w']+(?: [A-Z][\w']+){0,3} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Way|Square)\b[^.;\n]{0,40})/,
    asked: words("address|where (?:do you|should (?:we|it))"),
    answer: (fact) => `${fact}.`,
  },
  {
    kind: "nights",
    in: new RegExp(`\\b(?<fact>${COUNT} nights?)\\b`, "i"),
    asked: words("how (?:many nights|long)|nights"),
    answer: (fact) => `${capital(fact)}.`,
  },
  {
    kind: "people",
    in: new RegExp(
      `\\b(?<fact>${COUNT} (?:people|persons?|guests?|adults?|seats?|tickets?|diners?))\\b|\\b(?:for|party of|table of) (?<also>${COUNT})\\b(?! (?:nights?|days?|weeks?|hours?|minutes?|o'clock))`,
      "i",
    ),
    asked: words(
      "how many(?: (?:people|guests|persons|adults|seats|tickets|of you))?|party size|number of (?:people|guests)|group size",
    ),
    answer: (fact) => `${capital(fact)}, please.`,
  },
  {
    kind: "time",
    in: /\b(?:at |around |by )?(?<fact>(?:\d{1,2}(?::\d{2})? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)|\d{1,2}:\d{2}|noon|midnight))\b/i,
    asked: words("what time|which time|time would|when would|at what hour|what hour"),
    answer: (fact) => `At ${fact}, please.`,
  },
  {
    kind: "date",
    in: new RegExp(
      `\\b(?<fact>(?:next |this )?${WEEKDAY}|today|tonight|tomorrow(?: (?:morning|afternoon|evening))?|${MONTH} \\d{1,2}(?:st|nd|rd|th)?|(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|\\d{4}-\\d{2}-\\d{2})\\b`,
      "i",
    ),
    asked: words(
      "what (?:day|date|dates)|which (?:day|date|dates)|the dates?|what day|check.?in|when (?:do|would|should|is|are|will)",
    ),
    answer: (fact) => `${capital(fact)}, please.`,
  },
  {
    kind: "name",
    in: /\b(?:name(?:'s| is|d)?|called|I am|I'm|as|under)\s+(?<fact>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})|^(?<also>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})(?=,? (?:calls|is calling|wants|needs|would|has|asks|phones|rings|tries|booked|ordered|lives))/m,
    asked: words(
      "your (?:full |first |last )?name|the name|whose name|who am i speaking|who is (?:this|calling)|may i ask who|name (?:is|for|under|on)|spell (?:that|your)",
    ),
    answer: (fact) => `My name is ${fact}.`,
  },
];

type Facts = ReadonlyMap<FactKind, string>;

/** Returns the facts about the caller that a scenario states, recognized by their form. */
export function factsOf(scenario: string): Facts {
  const facts = new Map<FactKind, string>();
  for (const pattern of FACT_PATTERNS) {
    const groups = pattern.in.exec(scenario)?.groups;
    const fact = (groups?.fact ?? groups?.also)?.trim();
    if (fact) facts.set(pattern.kind, fact);
  }
  return facts;
}

const ASKING =
  /\?|\b(?:please|tell me|give me|let me know|i(?:'ll| will)? need|i would need|spell|provide|confirm your)\b/i;

/** Returns the kinds of fact that an agent's questions ask for, the most specific first. Statements ask for nothing. */
export function askedFor(text: string): FactKind[] {
  const questions = text
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => ASKING.test(sentence))
    .join(" ");
  const asked: FactKind[] = FACT_PATTERNS.filter((pattern) => pattern.asked.test(questions)).map(({ kind }) => kind);
  return asked.includes("birth_date") ? asked.filter((kind) => kind !== "date") : asked;
}

/** Returns a spoken sentence that states the fact. */
export const stated = (kind: FactKind, fact: string): string =>
  FACT_PATTERNS.find((pattern) => pattern.kind === kind)!.answer(fact);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

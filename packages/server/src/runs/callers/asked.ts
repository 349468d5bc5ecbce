import type { CallerFact } from "@svc/contract";

const CHARACTERS_MAX = 20_000;
const words = (source: string) => new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${source})(?![\p{L}\p{N}])`, "iu");

const QUESTION_WORD = "(?:what(?:'s|’s)?|which|who(?:'s|’s|se)?|where|when|how)";
const QUESTION = words(QUESTION_WORD);
const FILLERS = "(?:(?:and|okay|ok|so|great|thanks|thank you|perfect|alright|now|sorry|just|first)[,.]? )*";
/** Matches a question without a question mark. Only a question word at the beginning makes the sentence a question. */
const BEGINS_A_QUESTION = new RegExp(`^${FILLERS}${QUESTION_WORD}\\b`, "i");
/** Matches the words that open a request. The name of the requested fact follows them. */
const REQUEST = words(
  [
    "(?:may|can|could|might) (?:i|we) (?:please |also |just )*(?:have|get|take|ask|know|confirm|note)",
    "(?:can|could|would|will) you (?:please |also |just |kindly )*(?:give|tell|provide|spell|confirm|share|repeat|say|state|verify)",
    "please (?:also )?(?:give|tell|provide|spell|confirm|share|repeat|say|state|verify|enter)",
    "(?:i|we)(?:'ll|’ll|'d|’d| will| would)? (?:also |still |just )*need(?= (?:your|the|some|you to|an?\\b(?! (?:moment|second|minute|bit|while))|to (?:have|know|take|ask)))",
    "(?:i|we)(?:'d|’d| would) (?:like|love) to (?:have|know|take|ask)",
    "(?:tell|give) me|do you (?:have|know|remember)",
    "let me (?:have|know|take)(?= (?:your|the|an?\\b(?! (?:look|moment|second|minute))|what|which|when|how))",
  ].join("|"),
);
/** Matches a short question without a verb: "And your phone number?" */
const ELLIPTICAL = new RegExp(`^${FILLERS}(?:(?:your|the)\\b[^?]{1,80}|you are)\\?$`, "i");
const ENDS_IN_PLEASE = /\bplease\s*[?.!]*$/i;
/** Matches words that mention information but do not ask for it. */
const NOT_ASKED = words(
  "(?<!(?:may|can|could|might|should) )(?:i|we)(?:'ve|’ve)? (?:already )?(?:have|got) (?:your|the)[^,.;?]{0,60}|(?:do not|don't|don’t|does not|needn't|never|no longer) (?:(?:have|need|want|like) to )?(?:need|tell|give|share|say|spell|provide|state|confirm)[^,.;?]{0,60}|no need[^,.;?]{0,60}|how(?:'s|’s| is| was) (?:your|the) (?:day|evening|morning)[^,.;?]{0,30}|up to date",
);
/** Matches the beginning of a request's purpose: "may I have your name *to confirm the booking*". */
const PURPOSE = words(
  "so (?:that )?(?:i|we)|in order to|to (?:send|text|call|confirm|complete|finish|book|make|look|find|check|verify|process|set|put|proceed|continue|cancel|change)|in case|because",
);

const CALLERS =
  "guest|caller|patient|passenger|travell?er|customer|client|booking|reservation|order|account|account holder|cardholder|card holder|policy ?holder|person (?:calling|making|who)";
/** Matches a fact about another person or a thing: "the name of your pet", "your company's name", "IP address". */
const OF_OTHERS = words(
  [
    `(?:[\\p{L}-]+ )?(?:name|address|number|code|date|e-?mail|phone) of (?:your|the|an?|that|this|his|her|their) (?!(?:${CALLERS})\\b)\\p{L}+`,
    `(?!(?:${CALLERS})['’]s)\\p{L}+['’]s (?:full |first |last )?(?:name|address|number|e-?mail)`,
    "(?:user|company|business|street|pet|dog|cat|hotel|product|maiden|brand|file|host|domain|school|bank|doctor) ?name",
    "(?:ip|mac|web|internet|wallet|network) address",
  ].join("|"),
);

/**
 * A kind of facts. `names` matches the names that authors give to a fact of this kind. `asked` matches the words with which agents ask for
 * it.
 */
type FactKind = { names: RegExp; asked: RegExp };
const named = (source: string) => new RegExp(`^(?:${source})$`, "i");

/** Kinds of facts, the more specific first: "date of birth" must not match the kind of "date". */
const KINDS: readonly FactKind[] = [
  {
    names: named("date of birth|birth ?date|birthday|dob|born"),
    asked: words("date of birth|birth ?date|birthday|when (?:were|was) .{1,20} born|dob"),
  },
  { names: named("e-?mail(?: address)?"), asked: words("e-?mails?(?: address)?") },
  {
    names: named("(?:(?:tele)?phone|mobile|cell|contact|call ?back)(?: number)?"),
    asked: words(
      "(?:(?:tele)?phone|mobile|cell|contact|call ?back)(?: number)?|best number|number (?:can|should|could|may) (?:we|i)|(?:we|i) (?:best )?reach you",
    ),
  },
  { names: named("(?:post(?:al)? ?|zip ?)(?:code)?"), asked: words("post(?:al)? ?code|zip(?: ?code)?") },
  {
    names: named("(?:home |street |postal |delivery |shipping )?address"),
    asked: words("address|where do you live|where should (?:we|it|they) (?:deliver|be sent|be delivered|go)"),
  },
  {
    names: named("nights?|(?:number|count) of nights|length of stay"),
    asked: words("how many nights|how long (?:will|would|are|do) you|number of nights|length of stay"),
  },
  {
    names: named("people|guests|persons|adults|party(?: size)?|(?:number|count) of (?:people|guests|persons|adults)"),
    asked: words(
      "how many (?:people|guests|persons|adults|of you)|how many (?:will|are) (?:you|there)|party size|number of (?:people|guests|persons|adults)",
    ),
  },
  {
    names: named("(?:arrival |start )?time|hour"),
    asked: words("what time|which time|at (?:what|which) hour|the time"),
  },
  {
    names: named("(?:arrival |check-?in |start )?(?:date|day)"),
    asked: words(
      "dates?|(?:what|which) day|when (?!did|was|were)(?:would|do|will|should|are|is) (?:you|it|that|this|we|i)",
    ),
  },
  {
    names: named("(?:full |my |your )?name"),
    asked: words(
      "(?:your|the|a|full|first|last|whose|which|what|family) name|surname|name (?:is|for|under|on)|who am i (?:speaking|talking)|who is (?:this|calling)|who's calling|name(?=,)|(?<=^(?:and )?)you are(?=\\s*[?])",
    ),
  },
];

const SENTENCE_END = /(?<=[.!?。？！؟])\s+|\n+/u;

export function askingSentences(text: string): string[] {
  return text
    .slice(-CHARACTERS_MAX)
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => {
      const direct = sentence.replace(NOT_ASKED, "…");
      return isQuestion(direct) || REQUEST.test(direct) || ENDS_IN_PLEASE.test(direct);
    });
}

const isQuestion = (sentence: string): boolean => /[?？؟]/.test(sentence) || BEGINS_A_QUESTION.test(sentence);

/** Returns the facts that a sentence of the agent asks for, in the author's order. Ignores facts that it only mentions. */
export function factsAskedFor(sentence: string, facts: readonly CallerFact[]): CallerFact[] {
  let request = requestIn(sentence.slice(-1_000));
  const asked = new Set<CallerFact>();
  const ofNoKind = facts.filter(({ name }) => !KINDS.some(({ names }) => names.test(name)));
  const isNamed = ofNoKind.some(({ name }) => patternOf(name).test(request) && OF_OTHERS.test(name));
  if (!isNamed) request = request.replace(OF_OTHERS, "…");
  const take = (pattern: RegExp, matching: readonly CallerFact[]) => {
    if (!pattern.test(request)) return;
    for (const fact of matching) asked.add(fact);
    request = request.replace(pattern, "…");
  };
  for (const fact of ofNoKind.toSorted((a, b) => b.name.length - a.name.length)) take(patternOf(fact.name), [fact]);
  for (const { names, asked: pattern } of KINDS)
    take(
      pattern,
      facts.filter(({ name }) => names.test(name)),
    );
  return facts.filter((fact) => asked.has(fact));
}

/** Returns the part of a sentence that can name the requested facts; an empty text when the sentence asks for nothing. */
function requestIn(sentence: string): string {
  const direct = sentence.replace(NOT_ASKED, "…");
  const openings = [REQUEST.exec(direct), isQuestion(direct) ? QUESTION.exec(direct) : null];
  const from = Math.min(...openings.map((opening) => opening?.index ?? Infinity));
  const request = Number.isFinite(from)
    ? direct.slice(from)
    : ELLIPTICAL.test(direct) || ENDS_IN_PLEASE.test(direct)
      ? direct
      : "";
  const purpose = PURPOSE.exec(request);
  return purpose ? request.slice(0, purpose.index) : request;
}

/** Returns a pattern for a fact's name and its synonyms: the pattern of `order number` also matches `order code`. */
function patternOf(name: string): RegExp {
  const source = name
    .trim()
    .split(/[\s_-]+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join(String.raw`[\s-]+`)
    .replace(/\b(?:number|code|id|reference)$/i, "(?:number|code|id|reference)");
  return words(`${source}s?`);
}

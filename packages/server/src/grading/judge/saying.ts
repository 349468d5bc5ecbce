/** Returns the forms of verbs as a part of a pattern. */
export const formsOf = (verbs: string): string =>
  verbs
    .split(" ")
    .map((verb) =>
      /[^aeiou]y$/.test(verb)
        ? `${verb.slice(0, -1)}(?:y|ies|ied|ying)`
        : verb.endsWith("e")
          ? `${verb.slice(0, -1)}(?:e|es|ed|e?ing)`
          : `${verb}(?:s|es|[lr]?(?:ed|ing))?`,
    )
    .join("|");

/** Verbs of saying in all their forms. */
export const SAYS = `${formsOf(
  "tell say ask explain offer confirm mention inform greet answer announce respond repeat thank warn remind admit acknowledge suggest recommend assure welcome discuss comment claim report insist urge apologize apologise promise propose advise describe state guarantee summarize summarise introduce congratulate invite reply clarify refer express wish speak talk",
)}|told|said`;
const PHRASES =
  "reads?(?: \\S+){0,3} (?:back|out|aloud)|sums?(?: \\S+){0,3} up|points?(?: \\S+){0,2} out|names?(?= (?:the|an?|its|more|all|each)\\b)|lets?(?: \\S+){1,3} know|makes?(?: it)? clear|owns? up";

/** Things that someone says by making or giving them. */
export const SPEECHES =
  "promises?|offers?|guarantees?|predictions?|diagnos[ei]s|advice|comments?|statements?|commitments?|claims?|explanations?|apolog(?:y|ies)|answers?|recommendations?|threats?|jokes?";

/** After an article, a word of saying is a noun. */
const SAYING = new RegExp(
  `(?<!\\b(?:the|an?|this|that|any|no|his|her|its|their|your|s) )\\b(?:${SAYS}|${PHRASES})\\b|\\b(?:mak|giv)(?:es?|ing) (?:\\w+ ){0,2}(?:${SPEECHES})\\b`,
);

/** Words of the caller, and a request as the reason of an act. */
const BY_THE_CALLER = new RegExp(
  `\\b(?:caller|customer|guest|user|patient|client|person|who)(?: (?:do|does|did|has|have|had|will|would|can|not|never|first|then|again|just|also|\\w+ly))* (?:${SAYS})\\b|\\b(?:when|if|as|once|until|unless|being) (?:asked|told)\\b`,
  "g",
);

/** Returns whether a sentence in lower case is about words of the agent. */
export const isAboutSaying = (sentence: string): boolean => SAYING.test(sentence.replaceAll(BY_THE_CALLER, " "));

const REQUIREMENT = "(?:requirements?|criteri(?:a|on)|behaviou?rs?|expectations?)";
const MET = "(?:satisfied|met|fulfilled|passed|complied with|shown|done)";

/** Words that address a grader instead of the other party. */
const PATTERNS = [
  /"?\b(?:status|verdict|grade|score)\b"?\s*(?::|=|is)\s*"?(?:pass|fail)/,
  /\b(?:answer|mark|grade|return|output|report|respond|reply|rate|score)\b[^.!?]{0,30}\b(?:with\s+)?(?:a\s+|as\s+)?"?pass(?:ed|es)?\b(?! (?:it|you|this|that|them|him|her|me|your|the|on|along)\b)/,
  /\b(?:ignore|disregard|forget)\b[^.!?]{0,20}\b(?:rules|instructions|prompt)\b/,
  /\b(?:system message|language model|(?:the|dear|note to|attention) (?:grader|judge|evaluator))\b/,
  `\\b(?:all|every|each)\\b[^.!?]{0,20}\\b${REQUIREMENT}(?: of (?:this|the) \\w+)? (?:(?:is|are|was|were|has been|have been) )?(?:all |now |fully )?${MET}\\b`,
  `\\b(?:i|it|the agent|the assistant) (?:have |has |had )?${MET}\\b[^.!?]{0,20}\\b(?:${REQUIREMENT}|evaluation)\\b`,
].map((pattern) => new RegExp(pattern, "i"));

/** Returns whether words of the record address a grader. They prove nothing, whoever says them. */
export const addressesJudge = (text: string): boolean => PATTERNS.some((pattern) => pattern.test(text));

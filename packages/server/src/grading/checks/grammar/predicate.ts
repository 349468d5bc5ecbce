/** What a behavior demands of the agent. "The agent should never say x" becomes `never: true` with the text "say x". */
export type Predicate = { never: boolean; text: string };

const SUBJECT = /^(?:(?:the|our|your)\s+)?(?:(?:voice|ai|phone|virtual)\s+)?(?:agent|assistant|bot)\s+|^it\s+(?=\S)/i;
const NEGATIVE = new RegExp(
  [
    "(?:should|must|shall|will|may|can)\\s+(?:not|never)(?:\\s+ever)?",
    "(?:should|must|can|wo|sha)n['’]t(?:\\s+ever)?|can['’]t|cannot",
    "do(?:es)?\\s+not|do(?:es)?n['’]t",
    "(?:is|has|needs|ought)\\s+(?:to\\s+never|never\\s+to|not\\s+to)|is\\s+not\\s+allowed\\s+to",
    "never(?:\\s+ever)?",
  ]
    .map((words) => `(?:${words})`)
    .join("|"),
  "i",
);
const POSITIVE =
  /(?:should|must|shall|will|has\s+to|needs\s+to|ought\s+to|is\s+to|is\s+(?:expected|supposed|required)\s+to)/i;
const OPENING = new RegExp(`^(?:(?<negative>${NEGATIVE.source})|${POSITIVE.source})\\s+(?=\\S)`, "i");
/** Matches endings that add no meaning after "never". */
const EVER = new RegExp(
  [
    "\\s+(?:under\\s+any\\s+circumstances?|at\\s+any\\s+(?:time|point)|in\\s+any\\s+case|at\\s+all|ever)",
    ",?\\s+even\\s+(?:if|when)\\s+(?:asked|(?:the\\s+)?(?:caller|customer|user)\\s+(?:asks|insists|demands|begs|says)(?:\\s+(?:it|so|for\\s+it))?)",
  ]
    .map((words) => `(?:${words})$`)
    .join("|"),
  "i",
);

export function predicateOf(behavior: string): Predicate {
  const text = behavior
    .trim()
    .replace(/\s*[.!]+$/, "")
    .replace(SUBJECT, "");
  const opening = OPENING.exec(text);
  const never = opening?.groups?.["negative"] !== undefined;
  const rest = text.slice(opening?.[0].length ?? 0);
  return { never, text: never ? rest.replace(EVER, "") : rest };
}

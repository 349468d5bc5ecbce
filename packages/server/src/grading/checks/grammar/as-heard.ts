const AS_HEARD = /,?\s+as\s+heard(?:\s+(?:by\s+the\s+(?:caller|user|customer)|in\s+the\s+call))?$/i;

/** Returns the text of a predicate without "as heard" at its end. `isHeard` is true if the text ended with these words. */
export function withoutHeard(text: string): { text: string; isHeard: boolean } {
  const rest = text.replace(AS_HEARD, "");
  return { text: rest, isHeard: rest !== text };
}

/** Returns the end of a check's reading. It is empty unless only the sound of a call decides the check. */
export const heardWords = (isHeard: boolean | undefined): string => (isHeard ? ", as heard in the call" : "");

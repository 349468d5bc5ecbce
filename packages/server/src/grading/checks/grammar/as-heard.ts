const AS_HEARD = /,?\s+as\s+heard(?:\s+(?:by\s+the\s+(?:caller|user|customer)|in\s+the\s+call))?$/i;

/** Returns a predicate's text without "as heard" at its end, and whether it was there. */
export function withoutHeard(text: string): { text: string; isHeard: boolean } {
  const rest = text.replace(AS_HEARD, "");
  return { text: rest, isHeard: rest !== text };
}

/** The end of a check's reading when only the sound of a call decides it. */
export const heardWords = (isHeard: boolean | undefined): string => (isHeard ? ", as heard in the call" : "");

const AS_HEARD = /,?\s+as\s+heard(?:\s+(?:by\s+the\s+(?:caller|user|customer)|in\s+the\s+call))?$/i;

export function withoutHeard(text: string): { text: string; isHeard: boolean } {
  const rest = text.replace(AS_HEARD, "");
  return { text: rest, isHeard: rest !== text };
}

export const heardWords = (isHeard: boolean | undefined): string => (isHeard ? ", as heard in the call" : "");

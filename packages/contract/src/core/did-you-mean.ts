/**
 * Returns the candidate that is most similar to a mistyped text. Ignores case. Returns undefined when more than a third of the text's
 * characters would have to change, unless one of the two texts begins with the other text.
 */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  const typed = text.toLowerCase();
  const limit = Math.max(1, Math.floor(typed.length / 3));
  let [best, bestDistance] = [undefined as string | undefined, limit + 1];
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const isShortened = typed.length >= 3 && (lower.startsWith(typed) || typed.startsWith(lower));
    const distance = lower === typed ? 0 : isShortened ? 0.5 : editDistance(typed, lower, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns ` Did you mean "runs start"?`; an empty text when no candidate is similar. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const candidate = nearest(text, candidates);
  return candidate === undefined ? "" : ` Did you mean "${candidate}"?`;
}

/** Returns the number of insertions, deletions, replacements and swaps of adjacent characters between two texts, at most `limit`. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let [beforeLast, last]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1];
      let least = Math.min(last![at]! + 1, current[at - 1]! + 1, last![at - 1]! + (isSame ? 0 : 1));
      if (row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1])
        least = Math.min(least, beforeLast![at - 2]! + 1);
      current.push(least);
    }
    [beforeLast, last] = [last, current];
  }
  return Math.min(last!.at(-1)!, limit);
}

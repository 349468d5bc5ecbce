type Text = { text: string | null };

/**
 * Returns the length of the longest prefix of `list` whose texts are the last texts of `known` before the index `end`. Uses the
 * algorithm of Knuth, Morris and Pratt, whose time is linear.
 */
export function overlap(known: readonly Text[], end: number, list: readonly Text[]): number {
  const from = Math.max(0, end - list.length);
  if (from === end) return 0;
  const back: number[] = [0];
  let length = 0;
  const step = (text: string | null) => {
    while (length > 0 && (length === list.length || list[length]!.text !== text)) length = back[length - 1]!;
    if (list[length]!.text === text) length++;
  };
  for (let at = 1; at < list.length; at++) {
    step(list[at]!.text);
    back[at] = length;
  }
  length = 0;
  for (let at = from; at < end; at++) step(known[at]!.text);
  return length;
}

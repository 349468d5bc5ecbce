/** Behaviors after an edit, with the index of the input that then has the focus. */
export type BehaviorEdit = { behaviors: string[]; focus: number };

export function splitAt(behaviors: readonly string[], index: number, cursor: number): BehaviorEdit {
  const text = behaviors[index] ?? "";
  return {
    behaviors: behaviors.toSpliced(index, 1, text.slice(0, cursor).trimEnd(), text.slice(cursor).trimStart()),
    focus: index + 1,
  };
}

export const added = (behaviors: readonly string[]): BehaviorEdit => ({
  behaviors: [...behaviors, ""],
  focus: behaviors.length,
});

/** At least one empty behavior remains. */
export function removed(behaviors: readonly string[], index: number): BehaviorEdit {
  const rest = behaviors.toSpliced(index, 1);
  return { behaviors: rest.length === 0 ? [""] : rest, focus: Math.max(0, Math.min(index - 1, rest.length - 1)) };
}

export function moved(behaviors: readonly string[], index: number, by: -1 | 1): BehaviorEdit {
  const to = index + by;
  if (to < 0 || to >= behaviors.length) return { behaviors: [...behaviors], focus: index };
  return { behaviors: behaviors.toSpliced(index, 1).toSpliced(to, 0, behaviors[index]!), focus: to };
}

const BULLET = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/;

/** Each non-empty line of the pasted text becomes a behavior. Returns undefined for a text with fewer than two such lines. */
export function pasted(
  behaviors: readonly string[],
  index: number,
  { start, end }: { start: number; end: number },
  text: string,
): BehaviorEdit | undefined {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(BULLET, "").trim())
    .filter((line) => line !== "");
  if (lines.length < 2) return undefined;
  const current = behaviors[index] ?? "";
  const [before, after] = [current.slice(0, start), current.slice(end)];
  const made = lines.with(0, before + lines[0]!).with(lines.length - 1, lines.at(-1)! + after);
  return { behaviors: behaviors.toSpliced(index, 1, ...made), focus: index + made.length - 1 };
}

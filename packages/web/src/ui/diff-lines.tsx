import { diffArrays, diffWordsWithSpace } from "diff";
import { classes } from "./classes.ts";
import styles from "./diff-lines.module.css";

const SPOKEN = { same: "", added: "added: ", removed: "removed: ", gap: "" };

/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT = 3;

/** Largest share of changed characters for which the changed words of a replaced line are marked. */
const MOST_CHANGED = 0.6;

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** A changed line is shown as a removed and an added line, with the changed words marked. Long runs of equal lines are left out. */
export default function DiffLines({ before, after }: { before: string; after: string }) {
  const lines = lineDiff(linesOf(before), linesOf(after));
  if (lines.length === 0) return <p className={styles["nothing"]}>Nothing</p>;
  return (
    <div className={styles["diff"]}>
      {lines.map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

function Line({ line: { kind, parts } }: { line: DiffLine }) {
  const Changed = kind === "added" ? "ins" : "del";
  return (
    <div className={classes(styles["line"], styles[kind])}>
      <span dir="auto">
        {SPOKEN[kind] !== "" && <span className="visually-hidden">{SPOKEN[kind]}</span>}
        {parts.map(({ text, isChanged }, index) => (isChanged ? <Changed key={index}>{text}</Changed> : text))}
      </span>
    </div>
  );
}

type DiffPart = { text: string; isChanged: boolean };

/** A `gap` replaces several unchanged lines, and its text contains their number. */
export type DiffLine = { kind: "same" | "added" | "removed" | "gap"; parts: readonly DiffPart[] };

export function lineDiff(before: readonly string[], after: readonly string[], context = CONTEXT): DiffLine[] {
  const lines: DiffLine[] = [];
  let removed: string[] = [];
  for (const { added: isAdded, removed: isRemoved, value } of diffArrays([...before], [...after])) {
    if (isRemoved) removed = value;
    else if (isAdded) {
      lines.push(...replaced(removed, value));
      removed = [];
    } else {
      lines.push(...removed.map(whole("removed")), ...value.map(whole("same")));
      removed = [];
    }
  }
  return withGaps([...lines, ...removed.map(whole("removed"))], context);
}

const whole =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, parts: [{ text, isChanged: false }] });

/** If as many lines were added as removed, each removed line is followed by its replacement. */
function replaced(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length !== after.length) return [...before.map(whole("removed")), ...after.map(whole("added"))];
  return before.flatMap((line, index) => changedWords(line, after[index]!));
}

function changedWords(before: string, after: string): [DiffLine, DiffLine] {
  const words = diffWordsWithSpace(before, after);
  const length = (texts: typeof words) => texts.reduce((sum, { value }) => sum + value.length, 0);
  const changed = length(words.filter(({ added, removed }) => added || removed));
  if (changed > MOST_CHANGED * length(words)) return [whole("removed")(before), whole("added")(after)];
  const partsOf = (other: "added" | "removed") =>
    words.filter((word) => !word[other]).map((word) => ({ text: word.value, isChanged: word.added || word.removed }));
  return [
    { kind: "removed", parts: partsOf("added") },
    { kind: "added", parts: partsOf("removed") },
  ];
}

function withGaps(lines: readonly DiffLine[], context: number): DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries())
    if (kind !== "same") isNear.fill(true, Math.max(0, index - context), index + context + 1);
  const shown: DiffLine[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && !isNear[end]) end++;
    if (end - at > 1) shown.push(whole("gap")(`${end - at} lines are the same`));
    else shown.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return shown;
}

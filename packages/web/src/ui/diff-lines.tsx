import { classes } from "./classes.ts";
import styles from "./diff-lines.module.css";
import { type DiffLine, lineDiff } from "./line-diff.ts";

const SPOKEN = { same: "", added: "added: ", removed: "removed: ", gap: "" };

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The lines of two texts: changed ones as removed and added, with the changed words marked; long equal parts are left out. */
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

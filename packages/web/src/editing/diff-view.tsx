import { classes } from "../ui/classes.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";
import styles from "./diff-view.module.css";

const WORDS = { same: "", added: "Added: ", removed: "Removed: ", gap: "" };

/** Shows the difference of two texts line by line, with the changed words marked. */
export function DiffView({ before, after }: { before: readonly string[]; after: readonly string[] }) {
  const lines = diffLines(before, after);
  if (lines.length === 0) return <p className={styles["nothing"]}>Nothing</p>;
  return (
    <div className={styles["diff"]}>
      {lines.map((line, index) => (
        // A line has no identity: its position is its name.
        // oxlint-disable-next-line react/no-array-index-key
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

function Line({ line: { kind, parts } }: { line: DiffLine }) {
  const Changed = kind === "added" ? "ins" : "del";
  return (
    <div className={classes(styles["line"], styles[kind])}>
      <span>
        {WORDS[kind] !== "" && <span className="visually-hidden">{WORDS[kind]}</span>}
        {parts.map(({ text, isChanged }, index) =>
          // oxlint-disable-next-line react/no-array-index-key
          isChanged ? <Changed key={index}>{text}</Changed> : text,
        )}
      </span>
    </div>
  );
}

import { diffLines, diffWordsWithSpace } from "diff";
import { Fragment } from "react";
import styles from "./diff-lines.module.css";

const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");

/** The lines of two texts: equal ones once, changed ones as removed and added, with the changed words marked. */
export default function DiffLines({ before, after }: { before: string; after: string }) {
  const parts = diffLines(before, after);
  return (
    <div className={styles["diff"]}>
      {parts.map((part, index) => {
        const next = parts[index + 1];
        const previous = parts[index - 1];
        if (part.removed && next?.added) return <Changed key={index} before={part.value} after={next.value} />;
        if (part.added && previous?.removed) return null;
        const kind = part.added ? "add" : part.removed ? "del" : "same";
        return linesOf(part.value).map((line, at) => (
          <div key={`${index}-${at}`} className={styles[kind]} dir="auto">
            {kind !== "same" && <span className="visually-hidden">{kind === "add" ? "added: " : "removed: "}</span>}
            {line}
          </div>
        ));
      })}
    </div>
  );
}

function Changed({ before, after }: { before: string; after: string }) {
  const words = diffWordsWithSpace(before.replace(/\n$/, ""), after.replace(/\n$/, ""));
  return (
    <Fragment>
      <div className={styles["del"]} dir="auto">
        <span className="visually-hidden">removed: </span>
        {words.map((word, at) => !word.added && (word.removed ? <del key={at}>{word.value}</del> : word.value))}
      </div>
      <div className={styles["add"]} dir="auto">
        <span className="visually-hidden">added: </span>
        {words.map((word, at) => !word.removed && (word.added ? <ins key={at}>{word.value}</ins> : word.value))}
      </div>
    </Fragment>
  );
}

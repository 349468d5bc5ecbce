import { useState } from "react";
import styles from "./user-text.module.css";
import { classes } from "./classes.ts";

/** Characters of a long text that are shown before the person asks for all. */
const CLAMP_CHARACTERS = 2_000;

type UserTextProps = {
  text: string;
  inline?: boolean;
  /** Shows the parts between backticks as code. */
  backticked?: boolean;
};

/** A text that a person or an agent wrote: in its direction, isolated from the text around it, and broken anywhere. */
export function UserText({ text, inline, backticked }: UserTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > CLAMP_CHARACTERS;
  const shown = isCut ? text.slice(0, CLAMP_CHARACTERS) : text;
  if (inline) return <bdi className={styles["text"]}>{shown}</bdi>;
  return (
    <span dir="auto" className={classes(styles["text"], styles["block"])}>
      {backticked ? <Backticked text={shown} /> : shown}
      {isCut && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(true)}>
          … show all {text.length.toLocaleString()} characters
        </button>
      )}
    </span>
  );
}

/** Shows a sentence of the service; the parts between backticks are code. */
export function Backticked({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

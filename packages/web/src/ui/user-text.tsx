import { useState } from "react";
import styles from "./user-text.module.css";
import { classes } from "./classes.ts";

/** The number of characters of a long text that are shown before the user expands it. */
const CLAMP_CHARACTERS = 2_000;

type UserTextProps = {
  text: string;
  inline?: boolean;
  /** Shows parts between backticks as code. */
  backticked?: boolean;
};

/**
 * A text written by a person or an agent. It keeps its own writing direction, is isolated from the text around it, and may break
 * anywhere.
 */
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

/** Shows a sentence of the service. Parts between backticks are code. */
export function Backticked({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

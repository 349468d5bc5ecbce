import { useState } from "react";
import styles from "./user-text.module.css";
import { classes } from "./classes.ts";

/** Number of characters of a longer text that are visible before the user expands it. */
const CLAMP_CHARACTERS = 2_000;

type UserTextProps = {
  text: string;
  inline?: boolean;
  /** Whether parts between backticks are shown as code. */
  backticked?: boolean;
};

/**
 * Text that a person or an agent wrote has its own writing direction, is isolated from the text around it, and may break at any
 * character.
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

export function Backticked({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

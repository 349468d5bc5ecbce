import { CopyButton } from "./copy-button.tsx";
import styles from "./copy-line.module.css";

/** A text to paste, of one or several lines, with a button that copies it. */
export function CopyLine({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <div className={styles["line"]}>
      <code>{text}</code>
      <CopyButton text={text} aria-label={label} />
    </div>
  );
}

import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./secret.module.css";

/** A secret that is shown once, with a button that copies it. */
export const Secret = ({ text }: { text: string }) => (
  <div className={styles["secret"]}>
    <code>{text}</code>
    <CopyButton text={text} look="plain" small={false}>
      Copy
    </CopyButton>
  </div>
);

import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./form-row.module.css";

export const FormRows = ({ children }: { children: ReactNode }) => <div className={styles["rows"]}>{children}</div>;

export function FormRow({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles["row"]} role="group" aria-label={label}>
      <div className={styles["label"]}>
        {label}
        {note !== undefined && <small>{note}</small>}
      </div>
      <div className={styles["controls"]}>{children}</div>
    </div>
  );
}

export const Remark = ({ children }: { children: ReactNode }) => <p className={styles["remark"]}>{children}</p>;

export const ReadOnly = ({ text }: { text: string }) => <span className={styles["value"]}>{text}</span>;

/** The only value that the speech models support. */
export const Fixed = ({ text }: { text: string }) => (
  <span className={styles["value"]}>
    <Lock size={13} role="img" aria-label="Fixed" />
    {text}
  </span>
);

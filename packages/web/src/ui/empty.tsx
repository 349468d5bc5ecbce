import type { ReactNode } from "react";
import styles from "./empty.module.css";

type EmptyProps = { title: string; children: ReactNode; action?: ReactNode };

/** Says what would be here, and the next step. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles["empty"]}>
      <h2>{title}</h2>
      <div className={styles["text"]}>{children}</div>
      {action}
    </div>
  );
}

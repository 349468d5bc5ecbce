import type { ReactNode } from "react";
import styles from "./card.module.css";
import { classes } from "./classes.ts";

type CardProps = {
  title?: ReactNode;
  /** A less prominent number or remark beside the title. */
  note?: ReactNode;
  action?: ReactNode;
  /** Removes the padding, so that the content reaches the card's edges. */
  flush?: boolean;
  children: ReactNode;
};

export function Card({ title, note, action, flush, children }: CardProps) {
  return (
    <section className={styles["card"]}>
      {title !== undefined && (
        <header className={styles["cardHead"]}>
          <h2>{title}</h2>
          {note !== undefined && <span className={styles["note"]}>{note}</span>}
          {action !== undefined && <span className={styles["action"]}>{action}</span>}
        </header>
      )}
      <div className={styles[flush ? "flush" : "body"]}>{children}</div>
    </section>
  );
}

export function Section({ title, note, action, children }: Omit<CardProps, "flush">) {
  return (
    <section className={styles["section"]}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && <span className={styles["note"]}>{note}</span>}
        {action !== undefined && <span className={styles["action"]}>{action}</span>}
      </header>
      {children}
    </section>
  );
}

/** Two columns that become one on a narrow screen. */
export function Columns({ wideLeft, children }: { wideLeft?: boolean; children: ReactNode }) {
  return <div className={classes(styles["columns"], wideLeft && styles["wideLeft"])}>{children}</div>;
}

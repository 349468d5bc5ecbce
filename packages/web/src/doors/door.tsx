import type { ReactNode } from "react";
import { useEffect } from "react";
import styles from "./door.module.css";

type DoorProps = { title: string; lede?: ReactNode; children: ReactNode; beside?: ReactNode };

/** A page for a person who is not signed in: a form, and beside it what comes next. */
export function Door({ title, lede, children, beside }: DoorProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <main className={styles["door"]} data-with-aside={beside !== undefined}>
      <section className={styles["form"]}>
        <div>
          <p className={styles["wordmark"]}>
            <span aria-hidden>s</span>svc
          </p>
          <h1>{title}</h1>
          {lede !== undefined && <p className={styles["lede"]}>{lede}</p>}
          {children}
        </div>
      </section>
      {beside !== undefined && <aside className={styles["beside"]}>{beside}</aside>}
    </main>
  );
}

export const formClass = styles["fields"];
export const stepsClass = styles["steps"];

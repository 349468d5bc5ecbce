import { type ReactNode, useEffect } from "react";
import styles from "./door.module.css";

type DoorProps = { title: string; lede?: ReactNode; children?: ReactNode; beside?: ReactNode };

/** A page outside the frame: a form, and beside it what belongs to it. */
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
      {beside !== undefined && (
        <aside className={styles["beside"]}>
          <div>{beside}</div>
        </aside>
      )}
    </main>
  );
}

/** Small text below a form. */
export const DoorNote = ({ children }: { children: ReactNode }) => <p className={styles["note"]}>{children}</p>;

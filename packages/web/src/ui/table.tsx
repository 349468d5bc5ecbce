import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { classes } from "./classes.ts";
import styles from "./table.module.css";
import { Button } from "./button.tsx";

type Column = {
  head: ReactNode;
  /** Aligns cells right, with digits of equal width. */
  numeric?: boolean;
  wideOnly?: boolean;
  width?: string;
};

type TableProps = {
  label: string;
  columns: readonly Column[];
  dense?: boolean;
  /** Shows each row as a block on a narrow screen. */
  stacked?: boolean;
  children: ReactNode;
};

export function Table({ label, columns, dense, stacked, children }: TableProps) {
  const wrap = useRef<HTMLDivElement>(null);
  const overflows = useOverflow(wrap);
  return (
    <div ref={wrap} className={styles["wrap"]} {...(overflows && { role: "region", "aria-label": label, tabIndex: 0 })}>
      <table className={classes(styles["table"], dense && styles["dense"], stacked && styles["stacked"])}>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ head, numeric, wideOnly, width }, at) => (
              <th
                key={at}
                scope="col"
                className={classes(numeric && styles["num"], wideOnly && styles["wideOnly"])}
                style={{ width }}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Only an element with overflow must be reachable by keyboard, so that a person can scroll it. */
function useOverflow(element: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const watched = element.current!;
    const watching = new ResizeObserver(() => setOverflows(watched.scrollWidth > watched.clientWidth));
    watching.observe(watched);
    watching.observe(watched.firstElementChild!);
    return () => watching.disconnect();
  }, [element]);
  return overflows;
}

/** Classes for cells: `num`, `clip` (one line, cut), `name`, `wideOnly`, `end` (controls), and `faint` for text. */
export const tables = styles;

type LoadMoreProps = { hasMore: boolean; busy: boolean; onClick: () => void };

export function LoadMore({ hasMore, busy, onClick }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <div className={styles["more"]}>
      <Button busy={busy} onClick={onClick}>
        Show more
      </Button>
    </div>
  );
}

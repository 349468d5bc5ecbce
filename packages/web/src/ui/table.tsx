import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import styles from "./table.module.css";

type Column = { key: string; head: string; numeric?: boolean; wideOnly?: boolean };

export function Table({ label, columns, children }: { label: string; columns: Column[]; children: ReactNode }) {
  return (
    <div className={styles["wrap"]}>
      <table className={styles["table"]} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, head, numeric, wideOnly }) => (
              <th key={key} className={classes(numeric && styles["num"], wideOnly && styles["wide"])}>
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

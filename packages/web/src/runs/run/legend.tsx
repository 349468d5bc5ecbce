import { LoaderCircle } from "lucide-react";
import { VerdictIcon, type VerdictName, wordOf } from "../../ui/chip.tsx";
import { classes } from "../../ui/classes.ts";
import cells from "./cell.module.css";
import styles from "./legend.module.css";

const VERDICTS: VerdictName[] = ["passed", "failed", "inconclusive", "not_graded", "errored"];

/** The meaning of the grid's squares. */
export function Legend() {
  return (
    <ul className={styles["legend"]} aria-label="Legend">
      {VERDICTS.map((verdict) => (
        <li key={verdict}>
          <span className={classes(cells["cell"], cells[verdict])} aria-hidden>
            <VerdictIcon verdict={verdict} plain />
          </span>
          {verdict === "errored" ? "Errored, says nothing about the agent" : wordOf(verdict)}
        </li>
      ))}
      <li>
        <span className={classes(cells["cell"], cells["passed"], cells["part"])} aria-hidden>
          <VerdictIcon verdict="passed" plain />
        </span>
        Passed, not every behavior graded
      </li>
      <li>
        <span className={classes(cells["cell"], cells["running"])} aria-hidden>
          <LoaderCircle size={13} />
        </span>
        Running
      </li>
    </ul>
  );
}

import { Cell } from "./cell.tsx";
import type { CellLook } from "./grid-rows.ts";
import styles from "./run-grid.module.css";

const LEGEND: { look: CellLook; isPartly?: boolean; words: string }[] = [
  { look: "passed", words: "Passed" },
  { look: "passed", isPartly: true, words: "Passed, not every behavior graded" },
  { look: "failed", words: "Failed" },
  { look: "inconclusive", words: "Inconclusive" },
  { look: "not_graded", words: "Not graded" },
  { look: "errored", words: "Errored, says nothing about the agent" },
  { look: "running", words: "Running" },
];

/** The meaning of the cells of the grid. */
export const GridLegend = () => (
  <ul className={styles["legend"]}>
    {LEGEND.map(({ words, ...shape }) => (
      <li key={words}>
        <Cell {...shape} />
        {words}
      </li>
    ))}
  </ul>
);

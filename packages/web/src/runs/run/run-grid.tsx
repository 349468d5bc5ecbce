import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { usePlace } from "../../frame/place.ts";
import { Chip } from "../../ui/chip.tsx";
import { Interval } from "../../ui/interval.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { Cell } from "./cell.tsx";
import styles from "./run-grid.module.css";

type Grid = Answer<Operations["runs"]["grid"]>["grid"];
type GridTest = Grid["tests"][number];

/** The simulations of a run: a row for each test, worst first, a column for each persona, a square for each iteration. */
export function RunGrid({ grid, runId }: { grid: Grid; runId: string }) {
  return (
    <div className={styles["wrap"]} role="region" aria-label="Tests by persona" tabIndex={0}>
      <table className={styles["grid"]}>
        <caption className="visually-hidden">Tests by persona; each square is one iteration</caption>
        <thead>
          <tr>
            <th scope="col">Test</th>
            <th scope="col" className={styles["num"]}>
              Passed
            </th>
            <th scope="col" className={styles["interval"]}>
              Interval
            </th>
            {grid.personas.map(({ personaId, personaName }) => (
              <th key={personaId} scope="col">
                <UserText inline text={personaName} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grid.tests.map((test) => (
            <Row key={test.testVersionId} test={test} personas={grid.personas} runId={runId} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = { test: GridTest; personas: Grid["personas"]; runId: string };

/** Rows that did not change keep their elements: a run of 1,000 simulations stays quick while it fills. */
const Row = memo(function Row({ test, personas, runId }: RowProps) {
  const { params } = usePlace();
  const ofPersona = Map.groupBy(test.simulations, ({ personaId }) => personaId);
  return (
    <tr>
      <th scope="row">
        <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId: test.testId }}>
          <UserText inline text={test.testName} />
        </Link>{" "}
        <span className={styles["version"]}>v{test.testVersion}</span> {test.mixed && <Chip tone="plain">mixed</Chip>}
      </th>
      <td className={styles["num"]}>
        {test.passed}
        <span className={styles["version"]}>/{test.played}</span>
      </td>
      <td className={styles["interval"]}>
        <Interval low={test.passRateLow} high={test.passRateHigh} value={test.passRate} label="Passed" />
      </td>
      {personas.map(({ personaId, personaName }) => (
        <td key={personaId}>
          <div className={styles["cells"]}>
            {(ofPersona.get(personaId) ?? []).map((simulation) => (
              <Cell
                key={simulation.id}
                simulation={simulation}
                name={`${test.testName}, ${personaName}, iteration ${simulation.iteration}`}
                runId={runId}
              />
            ))}
          </div>
        </td>
      ))}
    </tr>
  );
});

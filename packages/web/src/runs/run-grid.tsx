import type { RunGrid } from "@svc/contract";
import { Link, useRouter } from "@tanstack/react-router";
import { memo, type MouseEvent } from "react";
import { usePlace } from "../shell/place.ts";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Interval } from "../ui/small-plots.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { UserText } from "../ui/user-text.tsx";
import { cellClass, CellIcon } from "./cell.tsx";
import type { GridSimulation } from "./grid-changes.ts";
import { cellLook, cellsByPersona, cellTitle, isPartlyGraded } from "./grid-rows.ts";
import styles from "./run-grid.module.css";

type Personas = RunGrid["personas"];
type GridTest = RunGrid["tests"][number];

/** Placeholder for the simulation's id in the address of a cell. */
const SIMULATION = "SIMULATION";

type RunGridTableProps = {
  runId: string;
  personas: Personas;
  tests: readonly GridTest[];
  /** Undefined until the test versions have loaded. */
  flaky: ReadonlySet<string | null> | undefined;
};

/** Table of the simulations of a run, with a row for each test, a column for each persona, and a cell for each iteration. */
export function RunGridTable({ runId, personas, tests, flaky }: RunGridTableProps) {
  const { params } = usePlace();
  const router = useRouter();
  // The address is built once. A run has up to 5,000 cells, too many for a link component in each.
  const { href } = router.buildLocation({
    to: "/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId",
    params: { ...params, runId, simulationId: SIMULATION },
  });
  const open = (event: MouseEvent) => {
    const simulationId = (event.target as Element).closest("a[data-simulation]")?.getAttribute("data-simulation");
    if (!simulationId || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({
      to: "/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId",
      params: { ...params, runId, simulationId },
    });
  };
  return (
    <div className={styles["wrap"]} role="region" aria-label="Tests by persona" tabIndex={0} onClick={open}>
      <table className={styles["table"]}>
        <caption className="visually-hidden">Tests by persona</caption>
        <thead>
          <tr>
            <th scope="col" className={styles["test"]}>
              Test
            </th>
            <th scope="col" className={classes(styles["num"], styles["wideOnly"])}>
              Passed
            </th>
            <th scope="col" className={styles["wideOnly"]}>
              Interval
            </th>
            {personas.map(({ personaId, personaName }) => (
              <th key={personaId} scope="col">
                <bdi>{personaName}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tests.map((test) => (
            <GridRow
              key={test.testVersionId}
              test={test}
              personas={personas}
              href={href}
              isFlaky={flaky?.has(test.testVersionId) ?? false}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type GridRowProps = { test: GridTest; personas: Personas; href: string; isFlaky: boolean };

/** A row is rendered again only when one of its cells changes. */
const GridRow = memo(function GridRow({ test, personas, href, isFlaky }: GridRowProps) {
  const { params } = usePlace();
  const cells = cellsByPersona(test, personas);
  const isDecided = test.passed + test.failed > 0;
  return (
    <tr>
      <th scope="row" className={styles["test"]}>
        <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId: test.testId }}>
          <UserText inline text={test.testName} />
        </Link>
        <span className={classes(styles["faint"], styles["wideOnly"])}>v{test.testVersion}</span>
        {isFlaky ? (
          <Tooltip text="Over its last runs the verdict of this version changes without a lasting cause.">
            <button type="button" className={styles["mark"]}>
              <Chip tone="plain">flaky</Chip>
            </button>
          </Tooltip>
        ) : (
          test.mixed && (
            <Tooltip text="Simulations of this version passed and others failed in this run.">
              <button type="button" className={styles["mark"]}>
                <Chip tone="plain">mixed</Chip>
              </button>
            </Tooltip>
          )
        )}
      </th>
      <td className={classes(styles["num"], styles["wideOnly"])}>
        {isDecided ? test.passed : "–"}
        <span className={styles["faint"]}>/{test.played}</span>
      </td>
      <td className={classes(styles["wideOnly"], styles["interval"])}>
        {isDecided && (
          <Interval low={test.passRateLow} high={test.passRateHigh} value={test.passRate} label="Pass rate" />
        )}
      </td>
      {cells.map((simulations, at) => (
        <td key={personas[at]!.personaId}>
          <div className={styles["cells"]}>
            {simulations.map((simulation) => (
              <GridCell
                key={simulation.id}
                simulation={simulation}
                title={cellTitle(test.testName, personas[at]!.personaName, simulation)}
                href={href}
              />
            ))}
          </div>
        </td>
      ))}
    </tr>
  );
});

type GridCellProps = { simulation: GridSimulation; title: string; href: string };

const GridCell = memo(function GridCell({ simulation, title, href }: GridCellProps) {
  const look = cellLook(simulation);
  return (
    <a
      href={href.replace(SIMULATION, simulation.id)}
      data-simulation={simulation.id}
      className={cellClass({ look, isPartly: isPartlyGraded(simulation) })}
      title={title}
      aria-label={title}
    >
      <CellIcon look={look} />
    </a>
  );
});

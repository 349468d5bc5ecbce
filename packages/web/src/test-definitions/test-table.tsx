import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { classes } from "../ui/classes.ts";
import { countsOf } from "./form/readings.ts";
import type { TestResults } from "./queries.ts";
import { Table, tables } from "../ui/table.tsx";
import type { StoredTest } from "./test-content.ts";
import styles from "./test-table.module.css";
import { Chip } from "../ui/chip.tsx";

const COLUMNS = [
  { head: "Test", width: "32%" },
  { head: "Behaviors" },
  { head: "Who calls", wideOnly: true },
  { head: "Version", numeric: true, wideOnly: true },
  { head: "Last runs", width: "14rem" },
];

type TestTableProps = { tests: readonly StoredTest[]; results: readonly TestResults[] };

export function TestTable({ tests, results }: TestTableProps) {
  const { params } = usePlace();
  return (
    <Table label="Tests" columns={COLUMNS} stacked>
      {tests.map((test) => (
        <tr key={test.id}>
          <td className={tables["name"]}>
            <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId: test.id }}>
              {test.name}
            </Link>
          </td>
          <td className={styles["quiet"]}>{countsOf(test.readings)}</td>
          <td className={classes(styles["quiet"], tables["wideOnly"])}>
            {test.personas.join(", ") || "the default persona"}
          </td>
          <td className={classes(tables["num"], tables["wideOnly"])}>v{test.version}</td>
          <td>
            <LastResults results={results.find(({ testId }) => testId === test.id)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function LastResults({ results }: { results: TestResults | undefined }) {
  const { params } = usePlace();
  if (results === undefined) return null;
  const [newest] = results.runs;
  if (newest === undefined) return <span className={styles["none"]}>not run yet</span>;
  return (
    <span className={styles["results"]}>
      <Link
        to="/o/$organizationId/p/$project/runs/$runId"
        params={{ ...params, runId: newest.runId }}
        className={styles["newest"]}
        title={results.runs.map((run) => `${run.runName ?? "Run"}: ${run.passed} of ${run.played} passed`).join("\n")}
      >
        <span className={styles["bars"]} aria-hidden>
          {results.runs.toReversed().map((run) => (
            <span key={run.runId} className={styles["bar"]}>
              <i className={styles["failed"]} style={{ flexGrow: run.failed }} />
              <i style={{ flexGrow: run.played - run.passed - run.failed }} />
              <i className={styles["passed"]} style={{ flexGrow: run.passed }} />
            </span>
          ))}
        </span>
        <span className={styles["share"]}>
          <b>{newest.passed}</b>/{newest.played}
          <span className="visually-hidden"> passed in the newest run</span>
        </span>
      </Link>
      {results.flaky && <Chip tone="inconclusive">flaky</Chip>}
    </span>
  );
}

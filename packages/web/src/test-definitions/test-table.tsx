import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { classes } from "../ui/classes.ts";
import { countsOf } from "./form/readings.ts";
import { LastResults } from "./last-results.tsx";
import type { TestResults } from "./queries.ts";
import { Table, tables } from "../ui/table.tsx";
import type { StoredTest } from "./test-content.ts";
import styles from "./test-table.module.css";

type TestTableProps = { tests: readonly StoredTest[]; results: readonly TestResults[] };

const COLUMNS = [
  { head: "Test", width: "32%" },
  { head: "Behaviors" },
  { head: "Who calls", wideOnly: true },
  { head: "Version", numeric: true, wideOnly: true },
  { head: "Last runs", width: "14rem" },
];

/** Tests as rows, each with the results of its last runs. */
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

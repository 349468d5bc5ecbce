import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { countsOf } from "./form/readings.ts";
import { LastResults } from "./last-results.tsx";
import type { TestResults } from "./queries.ts";
import tables from "../ui/table.module.css";
import type { StoredTest } from "./test-content.ts";
import styles from "./test-table.module.css";

type TestTableProps = { tests: readonly StoredTest[]; results: readonly TestResults[] };

/** Tests as rows, each with the results of its last runs. */
export function TestTable({ tests, results }: TestTableProps) {
  const { params } = usePlace();
  return (
    <div className={tables["wrap"]}>
      <table>
        <thead>
          <tr>
            <th>Test</th>
            <th>Behaviors</th>
            <th>Who calls</th>
            <th className={tables["num"]}>Version</th>
            <th>Last runs</th>
          </tr>
        </thead>
        <tbody>
          {tests.map((test) => (
            <tr key={test.id}>
              <td className={styles["name"]}>
                <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId: test.id }}>
                  {test.name}
                </Link>
              </td>
              <td className={styles["quiet"]}>{countsOf(test.readings)}</td>
              <td className={styles["quiet"]}>{test.personas.join(", ") || "the default persona"}</td>
              <td className={tables["num"]}>v{test.version}</td>
              <td>
                <LastResults results={results.find(({ testId }) => testId === test.id)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

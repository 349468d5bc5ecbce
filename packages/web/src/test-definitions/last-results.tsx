import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Chip } from "../ui/chip.tsx";
import styles from "./last-results.module.css";
import type { TestResults } from "./queries.ts";

/** The last runs of a test, oldest first, and the share that passed in the newest, with a link to it. */
export function LastResults({ results }: { results: TestResults | undefined }) {
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

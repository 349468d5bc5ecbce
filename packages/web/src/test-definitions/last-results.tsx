import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Chip } from "../ui/chip.tsx";
import type { TestResults } from "./queries.ts";
import styles from "./last-results.module.css";

/** The last runs of a test, oldest first, and the share that passed in the newest. */
export function LastResults({ results }: { results: TestResults | undefined }) {
  const { params } = usePlace();
  if (results === undefined) return null;
  const [newest] = results.runs;
  if (newest === undefined) return <span className={styles["none"]}>not run yet</span>;
  return (
    <span className={styles["results"]}>
      <span className={styles["bars"]}>
        {results.runs.toReversed().map((run) => (
          <Link
            key={run.runId}
            to="/o/$organizationId/p/$project/runs/$runId"
            params={{ ...params, runId: run.runId }}
            className={styles["bar"]}
            aria-label={`${run.runName ?? "Run"}: ${run.passed} of ${run.played} passed`}
            title={`${run.runName ?? "Run"}: ${run.passed} of ${run.played} passed`}
          >
            <i className={styles["failed"]} style={{ flexGrow: run.failed }} />
            <i style={{ flexGrow: run.played - run.passed - run.failed }} />
            <i className={styles["passed"]} style={{ flexGrow: run.passed }} />
          </Link>
        ))}
      </span>
      <span className={styles["share"]}>
        <b>{newest.passed}</b>/{newest.played}
      </span>
      {results.flaky && <Chip tone="inconclusive">flaky</Chip>}
    </span>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Time } from "../ui/time.tsx";
import { testResultsQuery } from "./queries.ts";
import styles from "./results-card.module.css";

/** The results of a test in its last runs. */
export function ResultsCard({ testId, version }: { testId: string; version: number }) {
  const place = usePlace();
  const { data } = useQuery(testResultsQuery(place, testId));
  const results = data?.[0];
  if (results === undefined) return null;
  if (results.testVersion === null)
    return (
      <Card title="Results">
        <p className={styles["none"]}>No run has played this test yet.</p>
      </Card>
    );
  return (
    <Card
      title={results.testVersion === version ? "Results of this version" : `Results of version ${results.testVersion}`}
      action={results.flaky ? <Chip tone="inconclusive">flaky</Chip> : results.agentName}
    >
      <ul className={styles["runs"]}>
        {results.runs.map((run) => (
          <li key={run.runId}>
            <span className={styles["share"]}>
              <b>{run.passed}</b>/{run.played}
            </span>
            <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: run.runId }}>
              {run.runName ?? "Run"}
            </Link>
            <Time at={run.createdAt} />
          </li>
        ))}
      </ul>
      {results.flaky && (
        <p className={styles["why"]}>
          The verdict changes without a lasting cause: one run both passed and failed it, or it failed between passes.
        </p>
      )}
    </Card>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { formatPercent } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./agents.module.css";
import { passRatesQuery } from "./queries.ts";

/** The pass rates of the agent's newest runs. */
export function AgentRuns({ agentId }: { agentId: string }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(passRatesQuery(place, agentId));
  return (
    <Section title="Newest runs">
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={3} />}
      {data?.passRates.length === 0 && <p className={styles["muted"]}>No test has run against this agent yet.</p>}
      {data !== undefined && data.passRates.length > 0 && (
        <Table
          label="Newest runs"
          columns={[
            { head: "Run" },
            { head: "Passed" },
            { head: "", width: "30%", wideOnly: true },
            { head: "Tests", numeric: true, wideOnly: true },
            { head: "Started", numeric: true },
          ]}
        >
          {data.passRates.map((run) => (
            <tr key={run.runId}>
              <td className={tables["name"]}>
                <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: run.runId }}>
                  {run.runName ?? run.runId}
                </Link>
              </td>
              <td>
                {run.passRate === null
                  ? "No verdict yet"
                  : `${formatPercent(run.passRate)} (${run.passed} of ${run.played})`}
              </td>
              <td className={tables["wideOnly"]}>
                <Interval label="Passed" value={run.passRate} low={run.passRateLow} high={run.passRateHigh} />
              </td>
              <td className={classes(tables["num"], tables["wideOnly"])}>{run.testCount}</td>
              <td className={classes(tables["num"], styles["muted"])}>
                <Time at={run.createdAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/notice.tsx";
import { formatCount, formatPercent } from "../ui/format.ts";
import { Interval } from "../ui/small-plots.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { newestRunsQuery, troubledConversationsQuery } from "./queries.ts";
import styles from "./newest-runs.module.css";

const SHOWN = 5;

/** A pass rate of fewer verdicts is not meaningful. */
const VERDICTS_MIN = 5;

export function NewestRuns() {
  const place = usePlace();
  const { data, error, refetch } = useQuery(newestRunsQuery(place));
  return (
    <Section
      title="Runs"
      action={
        <Link to="/o/$organizationId/p/$project/runs" params={place.params}>
          All runs
        </Link>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && data.runs.length > 0 && (
        <Table
          label="Newest runs"
          columns={[
            { head: "Run", width: "38%" },
            { head: "Pass rate", width: "26%" },
            { head: "", numeric: true },
            { head: "Started", numeric: true },
          ]}
        >
          {data.runs.slice(0, SHOWN).map((run) => {
            const decided = run.decidedSimulations + run.undecidedSimulations;
            const isKnown = decided >= VERDICTS_MIN;
            return (
              <tr key={run.id}>
                <td className={`${tables["name"]} ${tables["clip"]}`}>
                  <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: run.id }}>
                    <UserText inline text={run.name ?? run.suiteName ?? run.agentName} />
                  </Link>
                </td>
                <td className={styles["rate"]}>
                  <Interval
                    low={isKnown ? run.passRateLow : null}
                    high={isKnown ? run.passRateHigh : null}
                    value={isKnown ? run.passRate : null}
                    label="Pass rate"
                  />
                </td>
                <td className={tables["num"]}>
                  {isKnown && formatPercent(run.passRate)}{" "}
                  <span className={tables["faint"]}>
                    {run.passedVerdicts}/{run.simulationCount}
                  </span>
                </td>
                <td className={tables["num"]}>
                  <span className={tables["faint"]}>
                    <Time at={run.createdAt} />
                  </span>
                </td>
              </tr>
            );
          })}
        </Table>
      )}
    </Section>
  );
}

/** Table of the newest production conversations with a failed span or tool call. */
export function TroubledConversations() {
  const place = usePlace();
  const { data, error, refetch } = useQuery(troubledConversationsQuery(place));
  return (
    <Section
      title="Conversations with errors"
      action={
        <Link
          to="/o/$organizationId/p/$project/conversations"
          params={place.params}
          search={{ status: "error", source: "production" }}
        >
          All
        </Link>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {!data && !error && <Skeleton rows={4} />}
      {data?.traces.length === 0 && <p className={tables["faint"]}>No production conversation has an error.</p>}
      {data && data.traces.length > 0 && (
        <Table
          label="Newest conversations with errors"
          columns={[
            { head: "Agent", width: "30%" },
            { head: "First words" },
            { head: "Errors", numeric: true },
            { head: "Started", numeric: true },
          ]}
        >
          {data.traces.map((trace) => (
            <tr key={trace.traceId}>
              <td className={`${tables["name"]} ${tables["clip"]}`}>
                <Link
                  to="/o/$organizationId/p/$project/conversations/$traceId"
                  params={{ ...place.params, traceId: trace.traceId }}
                >
                  {trace.agentName === null ? "Without a name" : <UserText inline text={trace.agentName} />}
                </Link>
              </td>
              <td className={tables["clip"]}>
                {trace.preview === null ? (
                  <span className={tables["faint"]}>no words</span>
                ) : (
                  <UserText inline text={trace.preview} />
                )}
              </td>
              <td className={tables["num"]}>{formatCount(trace.errorCount)}</td>
              <td className={tables["num"]}>
                <span className={tables["faint"]}>
                  <Time at={trace.startedAt} />
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

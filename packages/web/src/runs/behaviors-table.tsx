import type { Run, RunBehavior } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { behaviorsQuery } from "./queries.ts";
import styles from "./behaviors-table.module.css";
import { gradedCount } from "./run-words.ts";

const DECIDED_BY: Record<RunBehavior["decidedBy"], string> = {
  check: "check",
  judge: "judge",
  built_in: "check",
  veto: "a person",
  none: "nothing yet",
};
const UNGRADED_NOTICES_MAX = 2;

export function BehaviorsTable({ run }: { run: Run }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(behaviorsQuery(place, run.id, gradedCount(run)));
  if (data === undefined) return error ? <Failure error={error} again={refetch} /> : <Skeleton rows={4} />;
  const shown = data.behaviors.filter(isOpenOrFailed);
  if (shown.length === 0)
    return gradedCount(run) === 0 ? null : (
      <Section title="What failed">
        <p className={tables["faint"]}>No behavior failed.</p>
      </Section>
    );
  return (
    <Section title="What failed" note="by behavior, most often first">
      <Ungraded behaviors={shown} />
      <Table
        label="What failed"
        columns={[
          { head: "Behavior", width: "34%" },
          { head: "Test", wideOnly: true, width: "18%" },
          { head: "Decided by", wideOnly: true },
          { head: "Failed", numeric: true },
          { head: "For example", wideOnly: true, width: "32%" },
        ]}
      >
        {shown.map((behavior) => (
          <BehaviorRow
            key={`${behavior.testVersionId} ${behavior.graderId} ${behavior.criterion}`}
            behavior={behavior}
            runId={run.id}
          />
        ))}
      </Table>
      {data.total > data.behaviors.length && (
        <p className={tables["faint"]}>
          The list has the first {formatCount(data.behaviors.length)} of {formatCount(data.total)} behaviors.
        </p>
      )}
    </Section>
  );
}

const isOpenOrFailed = ({ failed, inconclusive, notGraded, errored, counts }: RunBehavior): boolean =>
  failed > 0 || (counts && inconclusive + errored + notGraded > 0);

function Ungraded({ behaviors }: { behaviors: readonly RunBehavior[] }) {
  const ungraded = behaviors.filter(({ notGraded, counts }) => notGraded > 0 && counts).slice(0, UNGRADED_NOTICES_MAX);
  return ungraded.map(({ criterion, testVersionId, testName, notGraded, example }) => (
    <Notice key={`${testVersionId} ${criterion}`} kind="warning">
      <UserText inline text={`“${criterion}”`} /> of <UserText inline text={`“${testName}”`} /> is not graded in{" "}
      {formatPlural(notGraded, "simulation")}
      {example === null ? "." : `: ${example.reason}`}
    </Notice>
  ));
}

function BehaviorRow({ behavior, runId }: { behavior: RunBehavior; runId: string }) {
  const { params } = usePlace();
  const { criterion, testId, testName, decidedBy, counts, failed, passed, inconclusive, notGraded, errored, example } =
    behavior;
  const undecided = [
    inconclusive > 0 && `inconclusive ${formatCount(inconclusive)}`,
    notGraded > 0 && `not graded ${formatCount(notGraded)}`,
    errored > 0 && `errored ${formatCount(errored)}`,
  ].filter(Boolean);
  const quote = example?.evidence?.quote ?? example?.reason;
  return (
    <tr className={styles["row"]}>
      <td className={tables["clip"]} title={criterion}>
        {example === null ? (
          <code>{criterion}</code>
        ) : (
          <Link
            to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
            params={{ ...params, runId, simulationId: example.simulationId }}
          >
            <code>{criterion}</code>
          </Link>
        )}{" "}
        {!counts && <Chip>does not count</Chip>}
      </td>
      <td className={classes(tables["wideOnly"], tables["clip"], tables["faint"])}>
        <Link to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId }}>
          <UserText inline text={testName} />
        </Link>
      </td>
      <td className={classes(tables["wideOnly"], tables["faint"])}>{DECIDED_BY[decidedBy]}</td>
      <td className={tables["num"]}>
        {failed > 0 && (
          <>
            {formatCount(failed)}
            <span className={tables["faint"]}>/{formatCount(failed + passed + inconclusive)}</span>
          </>
        )}{" "}
        <span className={tables["faint"]}>{undecided.join(", ")}</span>
      </td>
      <td className={classes(tables["wideOnly"], tables["clip"], tables["faint"])}>
        {example !== null && quote !== undefined ? (
          <Link
            to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
            params={{ ...params, runId, simulationId: example.simulationId }}
          >
            <UserText inline text={quote} />
          </Link>
        ) : (
          "–"
        )}
      </td>
    </tr>
  );
}

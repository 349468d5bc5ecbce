import type { Schedule, ScheduledRun } from "@svc/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CirclePause, CirclePlay, Pencil, Play, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { queries, refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass, WideWords } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Chip, Verdict } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatPlural } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { NoSchedule } from "./no-schedule.tsx";
import { scheduledRunsQuery, scheduleQuery } from "./queries.ts";
import { RunStrip } from "./run-strip.tsx";
import { playsWords, timeInZone, verdictOf } from "./schedule-words.ts";
import { SchedulesLink } from "./schedules-link.tsx";
import styles from "./schedules.module.css";
import { Times } from "./times.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/schedules/$scheduleId");

export function SchedulePage() {
  const place = usePlace();
  const { scheduleId } = route.useParams();
  const { data: schedule, error, refetch } = useQuery(scheduleQuery(place, scheduleId));
  if (schedule === undefined)
    return (
      <Page title="Schedule" above={<SchedulesLink />}>
        {error ? <NoSchedule error={error} again={refetch} /> : <Skeleton rows={8} />}
      </Page>
    );
  return (
    <Page title={schedule.name} above={<SchedulesLink />} actions={<Actions schedule={schedule} />}>
      <div className={styles["stack"]}>
        {error && <Failure error={error} again={refetch} />}
        {schedule.problem !== null && (
          <Notice kind="warning">
            No run started on {timeInZone(schedule.problem.at, schedule.timeZone)}:{" "}
            <UserText inline text={schedule.problem.message} />
          </Notice>
        )}
        <div className={styles["columns"]}>
          <Runs schedule={schedule} />
          <div className={styles["stack"]}>
            <Card title="Times">
              <Times words={schedule.words} nextTimes={schedule.nextTimes} timeZone={schedule.timeZone} />
              {schedule.paused && <p>Paused: no run starts by itself.</p>}
              {schedule.waiting && <p>A due time waits for the end of the run before.</p>}
            </Card>
            <Card title="What it runs">
              <KeyValues items={factsOf(schedule)} />
            </Card>
          </div>
        </div>
      </div>
    </Page>
  );
}

function factsOf(schedule: Schedule): [name: string, value: ReactNode][] {
  const { personas, missedCount, skippedCount, lastMissedAt, createdBy } = schedule;
  const lost = [
    ...(missedCount > 0 ? [`${missedCount} missed while the service did not run`] : []),
    ...(skippedCount > 0 ? [`${skippedCount} skipped, because the run before was still going`] : []),
  ];
  return [
    ["Agent", <UserText key="agent" inline text={schedule.agentName} />],
    ["Tests", <UserText key="tests" inline text={playsWords(schedule)} />],
    ...(personas.length > 0
      ? [["Personas", <UserText key="personas" inline text={personas.join(", ")} />] as [string, ReactNode]]
      : []),
    ["Iterations", String(schedule.iterations)],
    ["Required", schedule.require ?? "all iterations"],
    ["Expression", <code key="cron">{schedule.cron}</code>],
    ["Run before still going", schedule.overlap === "skip" ? "skips the run" : "waits for its end"],
    ["Times without a run", lost.length === 0 ? "none" : lost.join(", ")],
    ...(lastMissedAt === null
      ? []
      : [["The last of them", timeInZone(lastMissedAt, schedule.timeZone)] as [string, ReactNode]]),
    ...(createdBy?.name == null
      ? []
      : [["Created by", <UserText key="by" inline text={createdBy.name} />] as [string, ReactNode]]),
    ["Created", <Time key="created" at={schedule.createdAt} />],
  ];
}

function Runs({ schedule }: { schedule: Schedule }) {
  const { id, timeZone } = schedule;
  const place = usePlace();
  const { data: runs, error, refetch } = useQuery(scheduledRunsQuery(place, id));
  if (runs === undefined) return error ? <Failure error={error} again={refetch} /> : <Skeleton rows={6} />;
  if (runs.length === 0)
    return (
      <Empty title="No run yet">
        <p>
          {schedule.paused
            ? "Resume the schedule, or run it now."
            : `The first one starts on ${timeInZone(schedule.nextTimes[0]!, timeZone)}.`}
        </p>
      </Empty>
    );
  return (
    <div className={styles["stack"]}>
      <RunStrip runs={runs} timeZone={timeZone} />
      <Table
        label="Runs"
        stacked
        columns={[
          { head: "Due", width: "12rem" },
          { head: "Outcome" },
          { head: "Tests", numeric: true },
          { head: "Changed", width: "32%" },
          { head: "" },
        ]}
      >
        {runs.map((run) => (
          <RunRow key={run.runId} run={run} timeZone={timeZone} />
        ))}
      </Table>
      <p>
        <Link to="/o/$organizationId/p/$project/runs" params={place.params} search={{ schedule: id }}>
          All runs of this schedule
        </Link>
      </p>
    </div>
  );
}

function RunRow({ run, timeZone }: { run: ScheduledRun; timeZone: string }) {
  const { params } = usePlace();
  const { runId, scheduledFor, createdAt, lastGoodRunId, passedTests, failedTests, undecidedTests } = run;
  const tests = passedTests + failedTests + undecidedTests;
  return (
    <tr className={styles["row"]}>
      <td className={tables["name"]}>
        <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...params, runId }}>
          {timeInZone(scheduledFor ?? createdAt, timeZone)}
        </Link>
        {scheduledFor === null && <span className={styles["detail"]}>started by hand</span>}
      </td>
      <td>
        {run.status === "canceled" ? (
          <Chip tone="warning">Canceled</Chip>
        ) : (
          <Verdict verdict={verdictOf(run.outcome)} />
        )}
      </td>
      <td className={tables["num"]}>
        {passedTests} of {formatPlural(tests, "test")}
      </td>
      <td>
        <Changed word="broke" tone="failed" count={run.brokenCount} tests={run.brokenTests} />
        <Changed word="mended" tone="passed" count={run.mendedCount} tests={run.mendedTests} />
      </td>
      <td className={classes(tables["end"])}>
        {lastGoodRunId !== null && run.outcome !== null && (
          <Link
            to="/o/$organizationId/p/$project/runs/compare"
            params={params}
            search={{ first: lastGoodRunId, second: runId }}
          >
            Compare with the last good run
          </Link>
        )}
      </td>
    </tr>
  );
}

type ChangedProps = {
  word: string;
  tone: "failed" | "passed";
  count: number;
  tests: ScheduledRun["brokenTests"];
};

function Changed({ word, tone, count, tests }: ChangedProps) {
  const { params } = usePlace();
  if (count === 0) return null;
  return (
    <span className={styles["changed"]}>
      <Chip tone={tone}>{word}</Chip>
      {tests.map(({ testId, testName }) => (
        <Link key={testId} to="/o/$organizationId/p/$project/tests/$testId" params={{ ...params, testId }}>
          <UserText inline text={testName} />
        </Link>
      ))}
      {count > tests.length && <span>and {count - tests.length} more</span>}
    </span>
  );
}

function Actions({ schedule }: { schedule: Schedule }) {
  const place = usePlace();
  const navigate = useNavigate();
  const [asks, setAsks] = useState(false);
  const ids = { scheduleId: schedule.id, projectId: place.projectId };
  const params = { ...place.params, scheduleId: schedule.id };
  const run = useMutation({
    mutationFn: () => place.client.schedules.run(ids),
    onSuccess: async ({ run: { id } }) => {
      void refresh(place, "schedules.runs", "runs.list");
      await navigate({ to: "/o/$organizationId/p/$project/runs/$runId", params: { ...place.params, runId: id } });
    },
  });
  const pause = useMutation({
    mutationFn: () => place.client.schedules.edit({ ...ids, paused: !schedule.paused }),
    onSuccess: (answer) => {
      queries.setQueryData(scheduleQuery(place, schedule.id).queryKey, answer.schedule);
      void refresh(place, "schedules.list");
    },
  });
  if (!place.canWrite) return null;
  const error = run.error ?? pause.error;
  const PauseIcon = schedule.paused ? CirclePlay : CirclePause;
  return (
    <>
      {error !== null && <Chip tone="failed">{error.message}</Chip>}
      <Menu label="More">
        <MenuItem danger icon={Trash2} onSelect={() => setAsks(true)}>
          Delete schedule …
        </MenuItem>
      </Menu>
      <Button busy={pause.isPending} onClick={() => pause.mutate()}>
        <PauseIcon size={16} aria-hidden />
        <WideWords>{schedule.paused ? "Resume" : "Pause"}</WideWords>
      </Button>
      <Link to="/o/$organizationId/p/$project/schedules/$scheduleId/edit" params={params} className={buttonClass()}>
        <Pencil size={16} aria-hidden />
        <WideWords>Edit</WideWords>
      </Link>
      <Button look="primary" busy={run.isPending} onClick={() => run.mutate()}>
        <Play size={14} aria-hidden />
        Run now
      </Button>
      {asks && (
        <ConfirmDialog
          title={`Delete the schedule “${schedule.name}”?`}
          action="Delete schedule"
          act={async () => {
            await place.client.schedules.delete(ids);
            await navigate({ to: "/o/$organizationId/p/$project/schedules", params: place.params });
            void refresh(place, "schedules.list");
          }}
          onClose={() => setAsks(false)}
        >
          Its runs stay, and a run that is under way goes on.
        </ConfirmDialog>
      )}
    </>
  );
}

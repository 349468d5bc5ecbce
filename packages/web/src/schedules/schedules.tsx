import type { Schedule } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarClock, Plus } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { schedulesQuery } from "./queries.ts";
import { RunStrip } from "./run-strip.tsx";
import { playsWords, timeInZone } from "./schedule-words.ts";
import styles from "./schedules.module.css";

export function Schedules() {
  const place = usePlace();
  const { data, error, refetch } = useQuery(schedulesQuery(place));
  const create = (
    <Link to="/o/$organizationId/p/$project/schedules/new" params={place.params} className={buttonClass("primary")}>
      <Plus size={16} aria-hidden />
      New schedule
    </Link>
  );
  return (
    <Page title="Schedules" actions={place.canWrite && data !== undefined && data.length > 0 && create}>
      {data === undefined ? (
        error ? (
          <Failure error={error} again={refetch} />
        ) : (
          <Skeleton />
        )
      ) : data.length === 0 ? (
        <Empty icon={CalendarClock} title="No schedules yet" action={place.canWrite && create}>
          <p>
            A schedule runs tests against an agent by itself, for example every weekday at 06:00, and compares each run
            with the last good one.
          </p>
        </Empty>
      ) : (
        <>
          {error && <Failure error={error} again={refetch} />}
          <ScheduleTable schedules={data} />
        </>
      )}
    </Page>
  );
}

const COLUMNS = [
  { head: "Schedule", width: "26%" },
  { head: "Times", width: "28%" },
  { head: "Agent", wideOnly: true, width: "14%" },
  { head: "Next" },
  { head: "Last runs" },
];

function ScheduleTable({ schedules }: { schedules: readonly Schedule[] }) {
  const { params } = usePlace();
  return (
    <Table label="Schedules" columns={COLUMNS} stacked>
      {schedules.map((schedule) => (
        <tr key={schedule.id} className={styles["row"]}>
          <td className={classes(tables["name"], tables["clip"])}>
            <Link
              to="/o/$organizationId/p/$project/schedules/$scheduleId"
              params={{ ...params, scheduleId: schedule.id }}
            >
              <UserText inline text={schedule.name} />
            </Link>
            <span className={styles["detail"]}>
              <UserText inline text={playsWords(schedule)} />
            </span>
          </td>
          <td>
            {schedule.words}
            <span className={styles["detail"]}>{schedule.timeZone}</span>
          </td>
          <td className={classes(tables["wideOnly"], tables["clip"], tables["faint"])}>
            <UserText inline text={schedule.agentName} />
          </td>
          <td>
            <Next schedule={schedule} />
          </td>
          <td>
            {schedule.lastRuns.length === 0 ? (
              <span className={tables["faint"]}>no run yet</span>
            ) : (
              <RunStrip runs={schedule.lastRuns} timeZone={schedule.timeZone} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Next({ schedule: { paused, waiting, problem, nextTimes, timeZone } }: { schedule: Schedule }) {
  if (paused) return <Chip tone="plain">Paused</Chip>;
  return (
    <>
      {problem !== null && <Chip tone="warning">Could not start</Chip>}
      {waiting ? <Chip tone="accent">Waits for the run before</Chip> : timeInZone(nextTimes[0]!, timeZone)}
    </>
  );
}

import { type Run, type Schedule, SHOWN_OF_SCHEDULE } from "@svc/contract";
import type { AgentStore } from "../../agents/store/agents.ts";
import type { SuiteStore } from "../../authoring/suites/store.ts";
import { mapInSlices } from "../../base/async/in-slices.ts";
import { newId } from "../../base/ids.ts";
import { sha256 } from "../../base/secrets/secrets.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import type { Scheduler } from "../play/scheduler.ts";
import type { RunRow } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";
import { dueTimesOf } from "./due-times-rules.ts";
import type { FreezeScheduled } from "./freeze-scheduled.ts";
import { presentScheduledRun } from "../scheduled-runs.ts";
import { presentSchedule, presentTimes } from "./present.ts";
import {
  comesAtOtherTimes,
  decideSchedule,
  decideScheduleEdit,
  planOf,
  playsOther,
  type ScheduleContent,
  type ScheduleRow,
} from "./rules.ts";
import type { ScheduleStore } from "./store.ts";

type Needs = {
  store: ScheduleStore;
  runs: Pick<RunStore, "createAlso">;
  freeze: FreezeScheduled;
  scheduler: Pick<Scheduler, "look">;
  agents: Pick<AgentStore, "mapNames">;
  suites: Pick<SuiteStore, "mapNames">;
  presentRun: (run: RunRow) => Promise<Run>;
  now: () => number;
};

export function scheduleRoutes({
  store,
  runs,
  freeze,
  scheduler,
  agents,
  suites,
  presentRun,
  now,
}: Needs): Routes<"schedules"> {
  async function presentAll(projectId: string, schedules: readonly ScheduleRow[]): Promise<Schedule[]> {
    const ids = schedules.map(({ id }) => id);
    const agentNames = await agents.mapNames(
      projectId,
      schedules.map(({ agent_id }) => agent_id),
    );
    const suiteNames = await suites.mapNames(
      projectId,
      schedules.flatMap((schedule) => planOf(schedule).suiteId ?? []),
    );
    const authors = await store.findAuthors(ids);
    const played = await store.readPlayed(await store.listLastRuns(ids, SHOWN_OF_SCHEDULE));
    const runsOf = Map.groupBy(played, ({ run }) => run.schedule_id);
    const nowMs = now();
    return mapInSlices(schedules, (schedule) =>
      presentSchedule(schedule, {
        nowMs,
        agentName: agentNames.get(schedule.agent_id)!,
        suiteName: suiteNames.get(planOf(schedule).suiteId ?? "") ?? null,
        createdBy: authors.get(schedule.id) ?? null,
        lastRuns: runsOf.get(schedule.id) ?? [],
      }),
    );
  }
  const answer = async (schedule: ScheduleRow) => ({
    schedule: (await presentAll(schedule.project_id, [schedule]))[0]!,
  });

  const dueAfterNow = ({ cron, time_zone, isPaused }: ScheduleContent): number | null =>
    isPaused ? null : dueTimesOf(cron, time_zone).after(now());

  return {
    schedules: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("sch", query.pageSize, query.pageToken));
        return { schedules: await presentAll(project.id, page.items), nextPageToken: page.next };
      },

      create: async ({ project, caller, body }) => {
        const content = decideSchedule(body);
        const { isPaused: _, ...columns } = content;
        await freeze({ project_id: project.id, ...columns });
        const at = new Date().toISOString();
        const schedule: ScheduleRow = {
          id: newId("sch"),
          project_id: project.id,
          ...columns,
          next_due_ms: dueAfterNow(content),
          queued_ms: null,
          missed: 0,
          skipped: 0,
          last_missed_ms: null,
          problem: null,
          problem_ms: null,
          problems: 0,
          created_by_user_id: caller.userId,
          created_by_key_id: caller.keyId,
          created_at: at,
          updated_at: at,
          revision: 1,
        };
        await store.create(schedule);
        return answer(schedule);
      },

      preview: async ({ query }) => ({ preview: presentTimes(query.cron, query.timeZone ?? "UTC", now()) }),

      get: async ({ project, params }) => answer(await store.get(project.id, params.scheduleId)),

      edit: async ({ project, params, body }) => {
        const seen = await store.get(project.id, params.scheduleId);
        const wanted = decideScheduleEdit(seen, body);
        if (playsOther(seen, wanted)) await freeze({ project_id: project.id, ...wanted });
        const edited = await store.edit(project.id, seen.id, (current) => {
          const content = decideScheduleEdit(current, body);
          const { isPaused, ...columns } = content;
          return {
            ...columns,
            next_due_ms: comesAtOtherTimes(current, content) ? dueAfterNow(content) : current.next_due_ms,
            ...(isPaused && { queued_ms: null }),
          };
        });
        return answer(edited);
      },

      delete: ({ project, params }) => store.delete(project.id, params.scheduleId),

      run: async ({ project, caller, params, headers }) => {
        const schedule = await store.get(project.id, params.scheduleId);
        const { id, required } = schedule;
        const key = headers.idempotencyKey;
        const request = key === undefined ? undefined : { key, bodySha256: sha256(JSON.stringify({ scheduleId: id })) };
        const { rows } = await freeze(schedule);
        const ofSchedule = { id, required, dueMs: null };
        const run = await runs.createAlso({ ...rows(caller, ofSchedule), request }, async (tx) => {
          await store.refuseGoing(tx, id);
          return true;
        });
        scheduler.look();
        return { run: await presentRun(run!) };
      },

      runs: async ({ project, params, query }) => {
        const { id } = await store.get(project.id, params.scheduleId);
        const page = await store.listRuns(id, pageRequest("run", query.pageSize, query.pageToken));
        const changes = await store.readChanges(id, page.items);
        return { runs: changes.map(presentScheduledRun), nextPageToken: page.next };
      },
    },
  };
}

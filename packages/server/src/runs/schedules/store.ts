import { sql } from "kysely";
import type { Schedule } from "@svc/contract";
import type { FindProjects } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import { findAgent } from "../../agents/store/find-agent.ts";
import { nextRevision } from "../../stores/dialect.ts";
import { recordEvent } from "../../stores/events.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { RunRow } from "../rules.ts";
import type { PlayedRun, RunChanges } from "../scheduled-runs.ts";
import { isOpen } from "../store/columns.ts";
import { listRunsOfSchedule, readChanges, readPlayed } from "../store/scheduled-runs.ts";
import type { DueNow } from "./due-times-rules.ts";
import {
  lostTimesOf,
  type PassedOver,
  progressOf,
  progressOfQueued,
  refuseTooManySchedules,
  refuseWhileGoing,
  type ScheduleRow,
} from "./rules.ts";

/** Schedule that starts a run now. `due` describes the due times since the last search; undefined for a queued due time. */
export type Coming = { schedule: ScheduleRow; due: DueNow | undefined };

type Edited = Pick<
  ScheduleRow,
  "name" | "agent_id" | "connection_id" | "plan" | "required" | "cron" | "time_zone" | "overlap" | "next_due_ms"
> & { queued_ms?: null };

export type ScheduleStore = {
  get: (projectId: string, id: string) => Promise<ScheduleRow>;
  findProjects: FindProjects;
  list: (projectId: string, page: PageRequest) => Promise<Page<ScheduleRow>>;
  /** Throws `name_taken` for a taken name, and `unprocessable` beyond the project's limit. */
  create: (schedule: ScheduleRow) => Promise<void>;
  edit: (projectId: string, id: string, decide: (current: ScheduleRow) => Edited) => Promise<ScheduleRow>;
  delete: (projectId: string, id: string) => Promise<void>;
  findAuthors: (ids: readonly string[]) => Promise<Map<string, NonNullable<Schedule["createdBy"]>>>;
  /**
   * Returns the schedules that are due at `nowMs`, the longest due first, then the schedules whose queued due time can start. Each
   * part has at most `limit` schedules.
   */
  listComing: (nowMs: number, limit: number) => Promise<ScheduleRow[]>;
  isGoing: (id: string) => Promise<boolean>;
  /** Throws `conflict` when a run of the schedule is in progress. Must be called in the transaction that creates another run. */
  refuseGoing: (tx: Db, id: string) => Promise<void>;
  /**
   * Sets the schedule's next due time in the transaction that creates the run. Returns false when another process or an edit
   * changed the schedule, or when a run of the schedule is in progress.
   */
  takeUp: (tx: Db, coming: Coming) => Promise<boolean>;
  /** Moves on to the schedule's next due time without a run. Does nothing when another process or an edit changed the schedule. */
  passOver: (coming: Coming, why: PassedOver) => Promise<void>;
  /** Stores a problem of the schedule and leaves its next due time unchanged. */
  showProblem: (coming: Coming, problem: string) => Promise<void>;
  /** Newest first. */
  listLastRuns: (ids: readonly string[], count: number) => Promise<RunRow[]>;
  listRuns: (id: string, page: PageRequest) => Promise<Page<RunRow>>;
  readPlayed: (runs: readonly RunRow[]) => Promise<PlayedRun[]>;
  /** `runs` and the result are newest first. */
  readChanges: (id: string, runs: readonly RunRow[]) => Promise<RunChanges[]>;
};

const refuseTakenName = refuseTaken("Another schedule of the project has this name; choose another.");

export function createScheduleStore(db: Db): ScheduleStore {
  const find = (from: Db, projectId: string, id: string) =>
    from
      .selectFrom("schedules")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("id", "=", id)
      .executeTakeFirstOrThrow(notFound);

  const findGoing = async (tx: Db, id: string): Promise<string | undefined> => {
    const going = tx.selectFrom("runs").select("id").where("schedule_id", "=", id).where(isOpen).limit(1);
    return (await going.executeTakeFirst())?.id;
  };

  async function isUnchanged(tx: Db, { id, revision, next_due_ms, queued_ms }: ScheduleRow): Promise<boolean> {
    const row = await tx
      .selectFrom("schedules")
      .select(["revision", "next_due_ms", "queued_ms"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row?.revision === revision && row.next_due_ms === next_due_ms && row.queued_ms === queued_ms;
  }

  async function move(tx: Db, { schedule, due }: Coming, why: PassedOver | undefined): Promise<void> {
    const problem = why !== undefined && "problem" in why ? why.problem : undefined;
    const progress = due === undefined ? progressOfQueued(schedule, problem) : progressOf(schedule, due, why);
    const { next_due_ms, queued_ms, missed, skipped, last_missed_ms, problem_ms, problems } = progress;
    await tx
      .updateTable("schedules")
      .set({ next_due_ms, queued_ms, missed, skipped, last_missed_ms, problem: progress.problem, problem_ms, problems })
      .where("id", "=", schedule.id)
      .execute();
    const event = lostTimesOf(schedule, progress, problem);
    if (event !== undefined)
      await recordEvent(tx, schedule.project_id, {
        type: "schedule.missed",
        about: schedule.id,
        agentName: (await findAgent(tx, schedule.project_id, schedule.agent_id)).name,
        data: event,
      });
  }

  return {
    get: (projectId, id) => find(db, projectId, id),

    findProjects: (id) => projectOfRow(db, "schedules", id),

    list: (projectId, page) =>
      readPage(db.selectFrom("schedules").selectAll().where("project_id", "=", projectId), page),

    create: (schedule) =>
      transaction(db, schedule.project_id, async (tx) => {
        const { count } = await tx
          .selectFrom("schedules")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("project_id", "=", schedule.project_id)
          .executeTakeFirstOrThrow();
        refuseTooManySchedules(Number(count));
        await tx.insertInto("schedules").values(schedule).execute().catch(refuseTakenName);
      }),

    edit: (projectId, id, decide) =>
      transaction(db, projectId, async (tx) => {
        const edited = decide(await find(tx, projectId, id));
        await tx
          .updateTable("schedules")
          .set({ ...edited, revision: nextRevision, updated_at: new Date().toISOString() })
          .where("id", "=", id)
          .execute()
          .catch(refuseTakenName);
        return find(tx, projectId, id);
      }),

    delete: (projectId, id) =>
      transaction(db, projectId, async (tx) => {
        await find(tx, projectId, id);
        await tx.deleteFrom("schedules").where("id", "=", id).execute();
      }),

    async findAuthors(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("schedules")
        .leftJoin("users", "users.id", "schedules.created_by_user_id")
        .leftJoin("api_keys", "api_keys.id", "schedules.created_by_key_id")
        .select(["schedules.id", "schedules.created_by_key_id", "users.name as person", "api_keys.name as key"])
        .where("schedules.id", "in", ids)
        .execute();
      return new Map(
        rows.map(({ id, created_by_key_id, person, key }) => [
          id,
          created_by_key_id === null ? { kind: "person", name: person } : { kind: "key", name: key },
        ]),
      );
    },

    async listComing(nowMs, limit) {
      const due = db
        .selectFrom("schedules")
        .selectAll()
        .where("next_due_ms", "is not", null)
        .where("next_due_ms", "<=", nowMs)
        .orderBy("next_due_ms")
        .limit(limit);
      const waiting = db
        .selectFrom("schedules")
        .selectAll()
        .where("queued_ms", "is not", null)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("runs").select("runs.id").whereRef("schedule_id", "=", "schedules.id").where(isOpen))),
        )
        .limit(limit);
      const rows = [...(await due.execute()), ...(await waiting.execute())];
      return [...new Map(rows.map((row) => [row.id, row])).values()];
    },

    isGoing: async (id) => (await findGoing(db, id)) !== undefined,

    refuseGoing: async (tx, id) => refuseWhileGoing(await findGoing(tx, id)),

    async takeUp(tx, coming) {
      if (!(await isUnchanged(tx, coming.schedule))) return false;
      if ((await findGoing(tx, coming.schedule.id)) !== undefined) return false;
      await move(tx, coming, undefined);
      return true;
    },

    passOver: (coming, why) =>
      transaction(db, coming.schedule.project_id, async (tx) => {
        if (await isUnchanged(tx, coming.schedule)) await move(tx, coming, why);
      }),

    async showProblem({ schedule, due }, problem) {
      await db
        .updateTable("schedules")
        .set({ problem, problem_ms: due?.lastMs ?? schedule.queued_ms })
        .where("id", "=", schedule.id)
        .execute();
    },

    async listLastRuns(ids, count) {
      if (ids.length === 0) return [];
      const placed = db
        .selectFrom("runs")
        .select("id")
        .select(sql<number>`row_number() OVER (PARTITION BY schedule_id ORDER BY id DESC)`.as("place"))
        .where("schedule_id", "in", ids);
      return db
        .selectFrom("runs")
        .selectAll()
        .where("id", "in", (eb) => eb.selectFrom(placed.as("placed")).select("id").where("place", "<=", count))
        .orderBy("id", "desc")
        .execute();
    },

    listRuns: (id, page) => listRunsOfSchedule(db, id, page),
    readPlayed: (runs) => readPlayed(db, runs),
    readChanges: (id, runs) => readChanges(db, id, runs),
  };
}

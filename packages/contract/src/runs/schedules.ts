import { z } from "zod";
import { testsProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count, expectedRevision, revision } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { timeZone } from "../core/time-zone.ts";
import { readCron } from "./cron.ts";
import { allowUngraded, maxCost, runLimits, runOptions, runSelection } from "./options.ts";
import { OUTCOMES, readRequirement } from "./requirement.ts";
import { Run, RunStarter } from "./run.ts";
import { RUN_STATUSES } from "./vocabulary.ts";

/** Behaviors of a schedule at a due time when its previous run has not ended: start no run, or start one after that run. */
export const OVERLAPS = ["skip", "queue"] as const;

/** Maximum number of next times, and of last runs, in the answer for a schedule. */
export const SHOWN_OF_SCHEDULE = 5;

const outcome = z.enum(OUTCOMES).nullable().meta({
  description:
    "`passed`: every test met the requirement. `failed`: a test missed it. `undecided`: verdicts are missing, so that neither is known. Null while the run is under way.",
});

const nextTimes = z.array(timestamp()).max(SHOWN_OF_SCHEDULE);
const words = z.string().meta({ description: "The cron expression in words." });

const runOfSchedule = {
  runId: id("run"),
  status: z.enum(RUN_STATUSES),
  outcome,
  scheduledFor: timestamp().nullable().meta({ description: "The due time; null for a run that was started by hand." }),
  createdAt: timestamp(),
  endedAt: timestamp().nullable(),
};

const NamedTest = z.strictObject({ testId: id("tst"), testName: z.string() });

/**
 * Run of a schedule, with the tests whose outcome changed since their last decided run before, and the last earlier run that
 * passed.
 */
export const ScheduledRun = z
  .strictObject({
    ...runOfSchedule,
    passedTests: count("Number of tests that met the requirement."),
    failedTests: count("Number of tests that missed the requirement."),
    undecidedTests: count("Number of tests of which neither is known."),
    brokenCount: count("Number of tests that missed the requirement and had met it in their last decided run before."),
    brokenTests: z.array(NamedTest).max(LIMITS.testsNamed),
    mendedCount: count("Number of tests that met the requirement and had missed it in their last decided run before."),
    mendedTests: z.array(NamedTest).max(LIMITS.testsNamed),
    lastGoodRunId: id("run").nullable().meta({
      description:
        "The last run before it with the outcome `passed`, for `GET /v1/runs/{runId}/comparison`. Null when none of the 50 runs before it passed.",
    }),
  })
  .meta({ id: "ScheduledRun", description: "A run of a schedule, and what changed since the run before." });
export type ScheduledRun = z.infer<typeof ScheduledRun>;

/** Schedule: the service starts runs of its tests at the times of a cron expression. */
export const Schedule = z
  .strictObject({
    id: id("sch"),
    projectId: id("prj"),
    name: z.string(),
    cron: z.string(),
    timeZone: z.string(),
    words,
    paused: z.boolean().meta({ description: "`true`: no run starts by itself." }),
    nextTimes: nextTimes.meta({ description: "The next five times; empty while the schedule is paused." }),
    waiting: z.boolean().meta({ description: "Whether a due time waits for the end of the run before." }),
    overlap: z.enum(OVERLAPS),
    agentId: id("agt"),
    agentName: z.string().meta({ description: "Current name of the agent." }),
    connectionId: id("con"),
    suiteId: id("ste").nullable(),
    suiteName: z.string().nullable().meta({ description: "Current name of the suite; null for a deleted one." }),
    tags: z.array(z.string()).meta({ description: "Only tests with at least one of these tags; empty without any." }),
    testIds: z
      .array(id("tst"))
      .meta({ description: "The tests, each in its current version; empty for a suite or tags." }),
    personas: z.array(z.string()).meta({ description: "Personas in place of those of each test; empty without any." }),
    iterations: count(),
    concurrency: count(),
    turnLimit: count(),
    timeLimitSeconds: count(),
    caller: z.enum(["scripted", "model"]).nullable().meta({ description: "Null: the service's default." }),
    maxCost: z.number().min(0).nullable().meta({ description: "Cost of the judge of one run at which judging stops." }),
    allowUngraded: z.boolean(),
    require: z.string().nullable().meta({
      description: "Share of iterations of each test that must pass, such as `4/5` or `80%`. Null: all.",
    }),
    missedCount: count("Number of due times that passed while no process of the service ran, without a run."),
    skippedCount: count("Number of due times without a run because the run before was still going."),
    lastMissedAt: timestamp().nullable().meta({ description: "The last due time without a run; null without one." }),
    problem: z
      .strictObject({
        message: z.string().meta({ description: "Why no run could start, and what to do." }),
        at: timestamp().meta({ description: "The last due time at which it kept a run from starting." }),
        count: count("Number of due times in a row without a run because of a problem."),
      })
      .nullable()
      .meta({ description: "What kept the last run from starting. Null once a run has started." }),
    lastRuns: z
      .array(z.strictObject(runOfSchedule))
      .max(SHOWN_OF_SCHEDULE)
      .meta({ description: "The last five runs, newest first." }),
    createdBy: RunStarter.nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    revision,
  })
  .meta({ id: "Schedule", description: "Runs of tests that start by themselves." });
export type Schedule = z.infer<typeof Schedule>;

/** Cron expression in words, with its next times. */
export const SchedulePreview = z
  .strictObject({ words, nextTimes: nextTimes.meta({ description: "The next five times." }) })
  .meta({ id: "SchedulePreview", description: "The times of a cron expression." });
export type SchedulePreview = z.infer<typeof SchedulePreview>;

const cron = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const read = readCron(text);
    if ("problem" in read) context.addIssue({ code: "custom", message: read.problem });
  })
  .meta({
    description:
      "Minute, hour, day of the month, month and day of the week. When both days are restricted, a day that fits either counts.",
    example: "0 6 * * 1-5",
    override: { type: "string", maxLength: LIMITS.cronCharacters },
  });
const zone = timeZone("Time zone of the expression. A time that a change of the clock skips or repeats is due once.");

const require = z
  .string()
  .max(30)
  .refine((text) => readRequirement(text) !== undefined, "Write a share of iterations as 4/5 or 80%.")
  .meta({ description: "Share of iterations of each test that must pass. Default: all.", example: "4/5" });

const name = nameText().meta({ description: "Unique in the project." });
const overlap = z.enum(OVERLAPS).meta({
  description:
    "At a due time while the run before is still going: `skip` starts no run; `queue` starts one when that run has ended.",
});
const paused = z.boolean();
const { name: _, ...options } = runOptions;
const { tags, personas } = runSelection;

const content = {
  agentId: idInput("agt"),
  connectionId: idInput("con"),
  suiteId: idInput("ste").optional(),
  tags,
  testIds: z.array(idInput("tst")).min(1).max(LIMITS.runTestVersions).optional().meta({
    description: "Tests, each played in its current version, in place of a suite and tags.",
  }),
  ...options,
  ...runLimits,
  allowUngraded,
};

const all = {
  tag: "Schedules",
  path: "/v1/schedules",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ schedule: Schedule }),
} as const;
const one = {
  ...all,
  path: "/v1/schedules/{scheduleId}",
  resource: "schedule",
  params: z.strictObject({ scheduleId: idInput("sch") }),
} as const;

/** Schedules of a project. */
export const schedules = {
  /** Lists the schedules, newest first. */
  list: listOperation({ ...all, summary: "List schedules", items: { schedules: Schedule } }),

  /**
   * Creates a schedule of a suite's tests, of tests with a tag, or of the given tests. Answers the same errors as the start of a run
   * with these tests and options. A project has at most 100 schedules.
   */
  create: createOperation({
    ...all,
    summary: "Create a schedule",
    description: `A project has at most ${LIMITS.schedules} schedules.`,
    body: z.strictObject({
      name,
      cron,
      timeZone: zone.optional().meta({ description: "Time zone of the expression. Default: `UTC`." }),
      ...content,
      personas,
      maxCost,
      require: require.optional(),
      overlap: overlap.optional().default("skip"),
      paused: paused.optional().meta({ description: "`true`: no run starts by itself until the schedule is resumed." }),
    }),
    errors: ["name_taken", "conflict", "parent_agent_archived"],
  }),

  /** Returns a cron expression in words, with its next five times in a time zone (default: UTC). Stores nothing. */
  preview: getOperation({
    tag: "Schedules",
    path: "/v1/schedule-preview",
    summary: "Preview the times of a cron expression",
    query: z.strictObject({ projectId, cron, timeZone: zone.optional() }),
    answer: z.strictObject({ preview: SchedulePreview }),
  }),

  /** Returns a schedule with its next times and its last runs. */
  get: getOperation({ ...one, summary: "Show a schedule" }),

  /**
   * Changes the given fields of a schedule. `suiteId`, `tags` and `testIds` together replace the former selection of tests. An empty
   * list of personas selects the personas of each test. A schedule that is resumed does not start the runs of the pause later.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a schedule",
    description:
      "Changes the given fields. `suiteId`, `tags` and `testIds` together replace the former selection of tests. Resuming a paused schedule makes up no run.",
    body: z.strictObject({
      name: name.optional(),
      cron: cron.optional(),
      timeZone: zone.optional(),
      ...content,
      agentId: content.agentId.optional(),
      connectionId: content.connectionId.optional(),
      personas: z.array(textUpTo(LIMITS.nameCharacters)).max(LIMITS.personas).optional().meta({
        description: "Personas in place of those of each test; an empty list means those of each test.",
      }),
      caller: z.enum(["scripted", "model"]).nullable().optional().meta({ description: "Null: the service's default." }),
      maxCost: maxCost.unwrap().nullable().optional().meta({ description: "Null: no limit." }),
      require: require.nullable().optional().meta({ description: "Null: all iterations must pass." }),
      overlap: overlap.optional(),
      paused: paused.optional(),
      expectedRevision,
    }),
    errors: ["name_taken", "version_conflict", "conflict", "parent_agent_archived"],
  }),

  /** Deletes a schedule. Its runs stay, and a run in progress continues. */
  delete: deleteOperation({
    ...one,
    summary: "Delete a schedule",
    description: "Its runs stay, and a run that is under way goes on.",
  }),

  /**
   * Starts a run of the schedule now, even when the schedule is paused. The next times do not change. Answers 409 `conflict` while a
   * run of the schedule is in progress. An `Idempotency-Key` works as in `runs.create`.
   */
  run: operation({
    ...one,
    ...testsProject,
    method: "POST",
    path: "/v1/schedules/{scheduleId}/run",
    summary: "Run a schedule now",
    description: "The next times of the schedule stay. Refused while a run of the schedule is under way.",
    headers: { idempotencyKey: "Idempotency-Key" },
    status: 201,
    answer: z.strictObject({ run: Run }),
    errors: ["conflict", "parent_agent_archived", "unprocessable"],
  }),

  /**
   * Lists the runs of a schedule, newest first. Each run lists the tests that broke and the tests that were mended, compared with
   * the last decided run before it.
   */
  runs: listOperation({
    ...one,
    path: "/v1/schedules/{scheduleId}/runs",
    summary: "List a schedule's runs with what changed",
    items: { runs: ScheduledRun },
  }),
};

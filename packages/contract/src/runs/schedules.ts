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

/**
 * What a schedule does at a due time when its previous run has not ended: start no run (`skip`), or start a run after that run (`queue`).
 */
export const OVERLAPS = ["skip", "queue"] as const;

/** Maximum number of next times, and of last runs, in the answer for a schedule. */
export const SHOWN_OF_SCHEDULE = 5;

const outcome = z.enum(OUTCOMES).nullable().meta({
  description:
    "`passed`: every test met the requirement. `failed`: at least one test missed the requirement. `undecided`: too many verdicts are missing to decide. Null while the run is in progress.",
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
    undecidedTests: count("Number of tests for which too many verdicts are missing to decide."),
    brokenCount: count(
      "Number of tests that missed the requirement, and that met it in their last decided run before this run.",
    ),
    brokenTests: z.array(NamedTest).max(LIMITS.testsNamed),
    mendedCount: count(
      "Number of tests that met the requirement, and that missed it in their last decided run before this run.",
    ),
    mendedTests: z.array(NamedTest).max(LIMITS.testsNamed),
    lastGoodRunId: id("run").nullable().meta({
      description:
        "The last earlier run of the schedule with the outcome `passed`, to compare with this run. Null when none of the 50 runs before this run passed.",
    }),
  })
  .meta({
    id: "ScheduledRun",
    description: "A run of a schedule, and the tests whose outcome changed since their last decided run.",
  });
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
    waiting: z.boolean().meta({ description: "Whether a run waits to start until the previous run has ended." }),
    overlap: z.enum(OVERLAPS),
    agentId: id("agt"),
    agentName: z.string().meta({ description: "Current name of the agent." }),
    connectionId: id("con"),
    suiteId: id("ste").nullable(),
    suiteName: z
      .string()
      .nullable()
      .meta({ description: "Current name of the suite; null without a suite, and when the suite was deleted." }),
    tags: z.array(z.string()).meta({
      description: "Only tests with at least one of these tags. Empty: tests with any tags or none.",
    }),
    testIds: z
      .array(id("tst"))
      .meta({ description: "The tests, each in its current version; empty when a suite or tags select the tests." }),
    personas: z.array(z.string()).meta({
      description: "Personas that replace the personas of each test. Empty: each test has its own personas.",
    }),
    iterations: count(),
    concurrency: count(),
    turnLimit: count(),
    timeLimitSeconds: count(),
    caller: z.enum(["scripted", "model"]).nullable().meta({ description: "Null: the service's default." }),
    maxCost: z
      .number()
      .min(0)
      .nullable()
      .meta({ description: "Maximum cost of the judge in one run, at which judging stops; null without a limit." }),
    allowUngraded: z.boolean(),
    require: z.string().nullable().meta({
      description:
        "Share of iterations of each test that must pass, such as `4/5` or `80%`. Null: all iterations must pass.",
    }),
    missedCount: count("Number of due times that passed without a run while no process of the service was running."),
    skippedCount: count("Number of due times without a run because the previous run had not ended."),
    lastMissedAt: timestamp().nullable().meta({
      description: "The last due time without a run; null when every due time had a run.",
    }),
    problem: z
      .strictObject({
        message: z.string().meta({ description: "Why no run could start, and what to do." }),
        at: timestamp().meta({ description: "The last due time at which the problem kept a run from starting." }),
        count: count("Number of due times in a row without a run because of a problem."),
      })
      .nullable()
      .meta({ description: "Problem that kept the last due run from starting; null after a run has started." }),
    lastRuns: z
      .array(z.strictObject(runOfSchedule))
      .max(SHOWN_OF_SCHEDULE)
      .meta({ description: "The last five runs, newest first." }),
    createdBy: RunStarter.nullable(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    revision,
  })
  .meta({
    id: "Schedule",
    description: "A schedule: the service starts runs of its tests at the times of a cron expression.",
  });
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
      "Minute, hour, day of the month, month and day of the week. When the day of the month and the day of the week are both restricted, the expression is due on every day that matches one of them.",
    example: "0 6 * * 1-5",
    override: { type: "string", maxLength: LIMITS.cronCharacters },
  });
const zone = timeZone(
  "Time zone of the expression. A time that a change to or from daylight saving time skips or repeats is due once.",
);

const require = z
  .string()
  .max(30)
  .refine((text) => readRequirement(text) !== undefined, "Write a share of iterations as 4/5 or 80%.")
  .meta({ description: "Share of iterations of each test that must pass. Default: all.", example: "4/5" });

const name = nameText().meta({ description: "Unique in the project." });
const overlap = z.enum(OVERLAPS).meta({
  description:
    "What happens at a due time when the previous run has not ended. `skip`: no run starts. `queue`: a run starts when the previous run has ended.",
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
    description: "Tests, each played in its current version. Send them instead of a suite and tags.",
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
   * Changes the given fields of a schedule. `suiteId`, `tags` and `testIds` together replace the former selection of tests. An empty list
   * of personas selects the personas of each test. When a paused schedule is resumed, it does not start the runs of the pause later.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a schedule",
    description:
      "Changes the given fields. `suiteId`, `tags` and `testIds` together replace the former selection of tests. When a paused schedule is resumed, it does not start the runs of the pause later.",
    body: z.strictObject({
      name: name.optional(),
      cron: cron.optional(),
      timeZone: zone.optional(),
      ...content,
      agentId: content.agentId.optional(),
      connectionId: content.connectionId.optional(),
      personas: z.array(textUpTo(LIMITS.nameCharacters)).max(LIMITS.personas).optional().meta({
        description: "Personas that replace the personas of each test. An empty list: each test has its own personas.",
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
    description: "The runs of the schedule stay, and a run in progress continues.",
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
    description:
      "The next times of the schedule do not change. Answers 409 `conflict` while a run of the schedule is in progress.",
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

import { z } from "zod";
import { Alert } from "../alerts/alerts.ts";
import { id, timestamp } from "../core/ids.ts";
import { listOperation } from "../core/resource-operations.ts";
import { FailureGroupOfEvent } from "../groups/groups.ts";
import { ImportErrorKind } from "../monitoring/imports.ts";
import { Run } from "../runs/run.ts";
import { ScheduledRun } from "../runs/schedules.ts";
import { SimulationSummary } from "../runs/simulation.ts";
import { EVENT_MEANINGS, EVENT_TYPES } from "./event-types.ts";

const importFailure = z.strictObject({
  failure: z.strictObject({
    id: id("rif"),
    callId: z.string().meta({ description: "The platform's id of the call." }),
    platformAgentId: z.string(),
    kind: ImportErrorKind,
    attempts: z.int(),
  }),
});

/** Schemas of `data`, by the type of the event. */
const EVENT_DATA = {
  "run.completed": z.strictObject({
    run: Run,
    scheduled: ScheduledRun.nullable().meta({
      description:
        "For a run of a schedule, the changes since the earlier runs of the schedule; null for any other run.",
    }),
  }),
  "simulation.failed": z.strictObject({
    simulation: SimulationSummary.omit({ message: true, testVersion: true, queuePosition: true }),
    failed: z.array(z.string()).meta({ description: "The expected behaviors and graders that failed, at most 20." }),
  }),
  "conversation.failed": z.strictObject({
    conversation: z.strictObject({
      traceId: z.string(),
      agentName: z.string().nullable().meta({ description: "Null when no span names the agent." }),
      startedAt: timestamp(),
    }),
    failed: z.array(
      z.strictObject({
        graderId: id("grd"),
        graderVersionId: z.string(),
        name: z.string(),
      }),
    ),
  }),
  "import.failed": importFailure,
  "import.resolved": importFailure,
  "alert.raised": z.strictObject({ alert: Alert }),
  "alert.cleared": z.strictObject({ alert: Alert }),
  "alert.reminded": z.strictObject({
    alert: Alert,
    latest: z
      .strictObject({ endedAt: timestamp(), value: z.number().nullable(), samples: z.int() })
      .meta({ description: "The last time window that the rule evaluated." }),
  }),
  "group.opened": z.strictObject({ group: FailureGroupOfEvent }),
  "group.regressed": z.strictObject({ group: FailureGroupOfEvent }),
  "schedule.missed": z.strictObject({
    schedule: z.strictObject({ id: id("sch"), name: z.string(), cron: z.string(), timeZone: z.string() }),
    missed: z.int().meta({ description: "Number of due times that passed while the service did not run." }),
    skipped: z.int().meta({ description: "Number of due times at which the previous run had not ended." }),
    problem: z
      .string()
      .nullable()
      .meta({ description: "Why a run could not start, and what to do; null without such a problem." }),
  }),
  "key.created": z.strictObject({
    key: z.strictObject({
      id: id("key"),
      name: z.string().nullable(),
      permissions: z.array(z.string()),
      createdByUserId: id("usr"),
      expiresAt: timestamp().nullable(),
    }),
  }),
  "member.changed": z.strictObject({
    member: z.strictObject({ userId: id("usr"), name: z.string(), email: z.string() }),
    change: z.enum(["joined", "role", "left"]),
    role: z.string().nullable().meta({ description: "The role from now on; null for a person who left." }),
  }),
  "destination.test": z.strictObject({ destination: z.strictObject({ id: id("dst"), name: z.string() }) }),
} satisfies Record<keyof typeof EVENT_MEANINGS, z.ZodObject>;

/** Values of `data`, by the type of the event. */
export type EventData = { [Type in keyof typeof EVENT_DATA]: z.infer<(typeof EVENT_DATA)[Type]> };

/** Type of an event, including the types that a destination cannot choose. */
export type EventType = keyof EventData;

const eventOf = <const Type extends EventType>(type: Type) =>
  z.strictObject({
    id: id("evt"),
    type: z.literal(type),
    timestamp: timestamp(),
    projectId: id("prj"),
    link: z.url().meta({ description: "URL of the page that shows the subject of the event." }),
    data: EVENT_DATA[type],
  });

/**
 * Event of a project. A webhook receives exactly this object as JSON. `data` contains the resource as it was at the time of the
 * event, without secrets and transcripts.
 */
export const ProjectEvent = z
  .discriminatedUnion("type", [
    eventOf("run.completed"),
    eventOf("simulation.failed"),
    eventOf("conversation.failed"),
    eventOf("import.failed"),
    eventOf("import.resolved"),
    eventOf("alert.raised"),
    eventOf("alert.cleared"),
    eventOf("alert.reminded"),
    eventOf("group.opened"),
    eventOf("group.regressed"),
    eventOf("schedule.missed"),
    eventOf("key.created"),
    eventOf("member.changed"),
    eventOf("destination.test"),
  ])
  .meta({ id: "ProjectEvent" });
export type ProjectEvent = z.infer<typeof ProjectEvent>;

/** Schema of an event type in filters and in destinations. */
export const eventType = z.enum(EVENT_TYPES).meta({
  description: EVENT_TYPES.map((type) => `\`${type}\`: ${EVENT_MEANINGS[type]}`).join(" "),
});

/** Events of a project. */
export const events = {
  /** Lists the project's events of the last 30 days, newest first. */
  list: listOperation({
    tag: "Notifications",
    path: "/v1/events",
    summary: "List events",
    description:
      "Lists the project's events of the last 30 days, newest first. The service stores an event in the database transaction of its cause. Destinations receive events as they happen.",
    filters: { type: eventType.optional() },
    items: { events: ProjectEvent },
  }),
};

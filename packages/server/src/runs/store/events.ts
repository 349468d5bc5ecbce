import type { RunEvent } from "@svc/contract";
import { sql } from "kysely";
import type { Db } from "../../stores/relational.ts";
import type { SimulationSummaryRow } from "../rules.ts";

type EventOf<Kind> = Kind extends RunEvent["kind"] ? Omit<Extract<RunEvent, { kind: Kind }>, "seq" | "at"> : never;
export type NewEvent = EventOf<RunEvent["kind"]>;

export type EventPage = { events: RunEvent[]; next: number; caughtUp: boolean };

const PAGE = 500;

/** Stores an event of a run. `tx` must be the transaction of the change that the event describes, so that a rollback removes both. */
export async function appendEvent(tx: Db, runId: string, event: NewEvent): Promise<void> {
  const at = new Date().toISOString();
  await sql`INSERT INTO run_events (run_id, seq, event)
    SELECT ${runId}, coalesce(max(seq), 0) + 1, ${JSON.stringify({ at, ...event })}
    FROM run_events WHERE run_id = ${runId}`.execute(tx);
}

/** Returns the events of a run after the number `after`, oldest first. */
export async function readEvents(db: Db, runId: string, after: number): Promise<EventPage> {
  const rows = await db
    .selectFrom("run_events")
    .select(["seq", "event"])
    .where("run_id", "=", runId)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(PAGE + 1)
    .execute();
  const events = rows.slice(0, PAGE).map(({ seq, event }) => readEvent(seq, JSON.parse(event) as object));
  return { events, next: events.at(-1)?.seq ?? after, caughtUp: rows.length <= PAGE };
}

/** Events of old versions of the service have no message. */
const readEvent = (seq: number, event: object): RunEvent => {
  const read = { seq, ...event } as RunEvent;
  return read.kind === "simulation" ? { ...read, message: read.message ?? null } : read;
};

export const simulationEvent = (row: SimulationSummaryRow): NewEvent => ({
  kind: "simulation",
  simulationId: row.id,
  testName: row.test_name,
  personaName: row.persona_name,
  status: row.status,
  reason: row.ending_reason,
  message: row.message,
  verdict: row.verdict,
});

export const gradeEvent = (row: SimulationSummaryRow): NewEvent => ({
  kind: "grade",
  simulationId: row.id,
  verdict: row.verdict!,
  behaviorsGraded: row.behaviors_graded,
  behaviorCount: row.behavior_count,
});

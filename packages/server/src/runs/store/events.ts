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

/** Returns the events of a run after the number `after`, oldest first; with `simulationId`, only those of this simulation. */
export async function readEvents(db: Db, runId: string, after: number, simulationId?: string): Promise<EventPage> {
  const ofRun = db.selectFrom("run_events").where("run_id", "=", runId);
  // Events of other simulations that are already stored need not be searched again.
  const newest =
    simulationId === undefined ? undefined : await ofRun.select("seq").orderBy("seq", "desc").limit(1).execute();
  let query = ofRun.select(["seq", "event"]).where("seq", ">", after);
  // A text of an event cannot contain these characters, because its quotes are escaped.
  if (simulationId !== undefined) query = query.where("event", "like", `%"simulationId":"${simulationId}"%`);
  const rows = await query
    .orderBy("seq")
    .limit(PAGE + 1)
    .execute();
  const events = rows.slice(0, PAGE).map(({ seq, event }) => readEvent(seq, JSON.parse(event) as object));
  const caughtUp = rows.length <= PAGE;
  const searched = caughtUp ? newest?.[0]?.seq : undefined;
  return { events, next: Math.max(after, searched ?? 0, events.at(-1)?.seq ?? 0), caughtUp };
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

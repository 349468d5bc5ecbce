import type { Measure, MeasureName } from "@svc/contract";
import { table } from "../terminal/output.ts";
import type { RunResult } from "../runs/result.ts";
import type { Session } from "../session/session.ts";
import { amount } from "../traces/amount.ts";

export type HeardCall = { testName: string; simulationId: string; measures: Measure[] };

const LOADED_MS = 5_000;
const AGAIN_MS = 100;

export function readHeardCalls(session: Session, { simulations }: RunResult): Promise<HeardCall[]> {
  return Promise.all(
    simulations.map(async ({ id: simulationId, testName, traceId }) => ({
      testName,
      simulationId,
      measures: traceId === null ? [] : await readMeasures(session, traceId),
    })),
  );
}

/** Waits up to five seconds for the conversation to appear. */
async function readMeasures({ client, projectId }: Session, traceId: string): Promise<Measure[]> {
  const untilMs = performance.now() + LOADED_MS;
  for (;;) {
    try {
      return (await client.traces.get({ traceId, projectId })).measures;
    } catch (error) {
      if ((error as { code?: string }).code !== "not_found" || performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

export const heardTable = (calls: readonly HeardCall[]): string =>
  table(
    calls,
    [
      { title: "as heard by the caller", cell: ({ testName }) => testName },
      { title: "first sound", cell: (call) => mean(call, "heard_first_sound"), right: true },
      { title: "answers after", cell: (call) => mean(call, "heard_response_latency"), right: true },
      { title: "speaks on after an interruption", cell: (call) => mean(call, "heard_yield_latency"), right: true },
    ],
    "",
  );

function mean({ measures }: HeardCall, name: MeasureName): string {
  const measure = measures.find((one) => one.name === name);
  if (!measure || measure.provenance === "unavailable") return "?";
  return measure.summary.n === 0 ? "" : amount(measure.summary.mean, measure.unit);
}

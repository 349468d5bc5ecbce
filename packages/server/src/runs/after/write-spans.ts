import type { Intake } from "../../traces/intake.ts";
import { snapshotOf } from "../connection-snapshot.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import type { Transcript } from "../play/transcript.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";
import { otlpOf, spansOf } from "./spans.ts";

/**
 * Sends the spans of an ended conversation into the trace store, and marks the simulation so that they are sent once. Sends
 * the root span only when the agent sends spans about its turns.
 */
export async function writeSpans(
  store: RunStore,
  intake: Intake,
  simulation: SimulationRow,
  run: RunRow,
  transcript: Transcript,
): Promise<void> {
  const { sendsOwnSpans } = lineTypeOf(snapshotOf(run).connectionType);
  const { projectNumber, agentName } = await store.getSpanOrigin(run);
  const spans = spansOf(simulation, agentName, transcript);
  const body = Buffer.from(JSON.stringify(otlpOf(sendsOwnSpans ? spans.slice(0, 1) : spans)));
  await intake.take({ project: projectNumber, encoding: "json", gzip: false, chunks: [body] });
  await store.markSpansWritten(simulation.id);
}

import type { Log } from "../../base/log/log.ts";
import type { Intake } from "../../traces/intake/intake.ts";
import { partialSuccessOf } from "../../traces/otlp/respond.ts";
import { type RunRow, type SimulationRow, snapshotOf } from "../rules.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import type { Transcript } from "../play/transcript.ts";
import type { RunStore } from "../store/runs.ts";
import { otlpOf, spansOf } from "./spans.ts";

/**
 * Writes the spans of an ended conversation to the trace store, and marks the simulation so that no other call writes them again.
 * Omits the turns and tool calls when the agent sends its own spans about them. When the trace store rejects spans, logs its
 * reasons and adds a note to the simulation.
 */
export async function writeSpans(
  { store, intake, log }: { store: RunStore; intake: Intake; log: Log },
  simulation: SimulationRow,
  run: RunRow,
  transcript: Transcript,
): Promise<void> {
  const { connectionType } = snapshotOf(run);
  const { sendsOwnSpans } = lineTypeOf(connectionType);
  const { projectNumber, agentName } = await store.getSpanOrigin(run);
  const { root, turns, toolUses, ofCall } = spansOf(simulation, agentName, transcript, connectionType);
  const spans = [root, ...(sendsOwnSpans ? [] : [...turns, ...toolUses]), ...ofCall];
  const body = Buffer.from(JSON.stringify(otlpOf(spans)));
  const taken = await intake.take({
    project: projectNumber,
    encoding: "json",
    compression: "identity",
    chunks: [body],
  });
  const { partialSuccess } = partialSuccessOf(taken);
  if (partialSuccess) {
    const { id, trace_id } = simulation;
    log.error({ simulation: id, reasons: taken.reasons }, "the trace store rejected spans of a simulation");
    await store.recordRejectedSpans(id, {
      message:
        `${simulation.message ?? ""} The trace store does not hold the whole conversation: ${partialSuccess.errorMessage}`.trim(),
      traceId: taken.accepted === 0 ? null : trace_id,
    });
  }
  await store.markSpansWritten(simulation.id);
}

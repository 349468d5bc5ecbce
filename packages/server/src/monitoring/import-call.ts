import type { Log } from "../log.ts";
import type { Intake } from "../traces/intake.ts";
import type { PlatformAClient } from "./platform-a/client.ts";
import { PlatformFailure } from "./platform-a/failure.ts";
import { isComplete, toSpans } from "./platform-a/to-spans.ts";
import { callFaultOf } from "./rules.ts";
import type { CallResult } from "./store/note-results.ts";

export type ImportParts = { client: PlatformAClient; intake: Intake; log: Log };

/**
 * Reads one call and puts its spans on disk, for the poll and for a replay alike. The same call always gives the same
 * spans, which the trace store keeps once. A rejected key, a rate limit and an outage of our own say nothing about the
 * call and are thrown.
 */
export async function importCall(
  { client, intake, log }: ImportParts,
  project: number,
  callId: string,
): Promise<CallResult> {
  const call = await client.call(callId).catch((error: unknown) => {
    const fault = error instanceof PlatformFailure ? callFaultOf(error.kind) : undefined;
    if (fault === undefined) throw error;
    return { fault };
  });
  if ("fault" in call) return { callId, fault: call.fault };
  if (!isComplete(call)) return { callId, fault: "conversation_incomplete", endedMs: call.endMs };

  const spans = spansOf(call, log);
  if (spans === undefined) return { callId, fault: "internal", endedMs: call.endMs };
  const { traceId, request } = spans;
  const chunks = [Buffer.from(JSON.stringify(request))];
  const { accepted, reasons } = await intake.take({ project, encoding: "json", gzip: false, chunks });
  if (accepted === 0) {
    log.error({ call_id: callId, reasons }, "the trace store took none of a call's spans");
    return { callId, fault: "internal", endedMs: call.endMs };
  }
  return {
    callId,
    traceId,
    analysisSeen: call.analysis !== undefined,
    startedMs: call.startMs,
    endedMs: call.endMs,
  };
}

function spansOf(call: Parameters<typeof toSpans>[0], log: Log) {
  try {
    return toSpans(call);
  } catch (error) {
    log.error({ err: error, call_id: call.callId }, "a call could not be turned into spans");
    return undefined;
  }
}

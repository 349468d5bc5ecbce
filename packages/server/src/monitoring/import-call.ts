import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Intake } from "../traces/intake.ts";
import { isComplete, type PlatformACall } from "./platform-a/call.ts";
import type { PlatformAClient } from "./platform-a/client.ts";
import { PlatformFailure } from "./platform-a/failure.ts";
import { callToSpans } from "./platform-a/to-spans.ts";
import { callFaultOf } from "./rules.ts";
import type { CallResult } from "./store/note-results.ts";

type ImportParts = { client: PlatformAClient; intake: Intake; log: Log };

/**
 * Reads one call and puts its spans on disk, for the poll and for a replay alike. The same call always gives the same
 * spans, which the trace store keeps once. A rejected key, a rate limit and an outage of our own say nothing about the
 * call and are thrown.
 */
export async function importCall(parts: ImportParts, project: number, callId: string): Promise<CallResult> {
  const call = await parts.client.call(callId).catch((error: unknown) => {
    const fault = error instanceof PlatformFailure ? callFaultOf(error.kind) : undefined;
    if (fault === undefined) throw error;
    return { fault };
  });
  if ("fault" in call) return { callId, fault: call.fault };
  const { startMs: startedMs, endMs: endedMs, analysis } = call;
  if (!isComplete(call)) return { callId, fault: "conversation_incomplete", endedMs };
  try {
    const traceId = await keepSpans(parts, project, call);
    return { callId, traceId, analysisSeen: analysis !== undefined, startedMs, endedMs };
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") throw error;
    parts.log.error({ err: error, call_id: callId }, "a call could not be turned into stored spans");
    return { callId, fault: "internal", endedMs };
  }
}

/** Resolves with the trace's id once the spans are on disk. */
async function keepSpans({ intake, log }: ImportParts, project: number, call: PlatformACall): Promise<string> {
  const request = callToSpans(call);
  const chunks = [Buffer.from(JSON.stringify(request))];
  const { accepted, rejected, reasons } = await intake.take({ project, encoding: "json", gzip: false, chunks });
  if (accepted === 0) throw new Error(`the trace store took none of ${rejected} spans`);
  if (rejected > 0) log.error({ call_id: call.callId, rejected, reasons }, "the trace store refused spans of a call");
  return request.resourceSpans[0].scopeSpans[0].spans[0]!.traceId;
}

import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Intake } from "../traces/intake.ts";
import { isComplete, type PlatformACall } from "./platform-a/call.ts";
import type { PlatformAClient } from "./platform-a/client.ts";
import { PlatformError } from "./platform-a/platform-error.ts";
import { callToSpans } from "./platform-a/to-spans.ts";
import { failureKindOf } from "./rules.ts";
import type { ImportResult } from "./store/record-results.ts";

type CallImport = { client: PlatformAClient; intake: Intake; log: Log; projectNumber: number };

/**
 * Reads one call and stores its spans; scans and replays import calls only through here. The same call always gives the
 * same spans, which the trace store stores once. Throws errors that do not concern the call: a rejected key, a rate
 * limit, an unavailable trace store.
 */
export async function importCall(parts: CallImport, callId: string): Promise<ImportResult> {
  const call = await parts.client.getCall(callId).catch((error: unknown) => {
    const failure = error instanceof PlatformError ? failureKindOf(error.kind) : undefined;
    if (failure === undefined) throw error;
    return { failure };
  });
  if ("failure" in call) return { callId, failure: call.failure };
  const { startMs: startedMs, endMs: endedMs, analysis } = call;
  if (!isComplete(call)) return { callId, failure: "conversation_incomplete", endedMs };
  try {
    const traceId = await storeSpans(parts, call);
    return { callId, traceId, hasAnalysis: analysis !== undefined, startedMs, endedMs };
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") throw error;
    parts.log.error({ err: error, call_id: callId }, "the spans of a call could not be stored");
    return { callId, failure: "internal", endedMs };
  }
}

/** Resolves with the trace's id when the spans are on disk. */
async function storeSpans({ intake, log, projectNumber: project }: CallImport, call: PlatformACall): Promise<string> {
  const request = callToSpans(call);
  const chunks = [Buffer.from(JSON.stringify(request))];
  const { accepted, rejected, reasons } = await intake.take({
    project,
    encoding: "json",
    compression: "identity",
    chunks,
  });
  if (accepted === 0) throw new Error(`the trace store rejected all ${rejected} spans`);
  if (rejected > 0) log.error({ call_id: call.callId, rejected, reasons }, "the trace store rejected spans of a call");
  return request.resourceSpans[0].scopeSpans[0].spans[0]!.traceId;
}

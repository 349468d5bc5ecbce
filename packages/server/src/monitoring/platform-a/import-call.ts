import { AppError } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import { inSpan } from "../../base/own-spans.ts";
import type { Intake } from "../../traces/intake/intake.ts";
import type { FetchRecording } from "./fetch-recording.ts";
import { isComplete, type PlatformACall } from "./call.ts";
import type { PlatformAClient } from "./client.ts";
import { PlatformError } from "./platform-error.ts";
import { callToSpans } from "./to-spans.ts";
import { failureKindOf } from "../rules.ts";
import type { SetupRow } from "../store/rows.ts";
import type { ImportResult } from "../store/record-results.ts";

type CallImport = {
  client: PlatformAClient;
  intake: Intake;
  fetchRecording: FetchRecording;
  log: Log;
  setup: Pick<SetupRow, "fetches_recordings">;
  project: { id: string; number: number };
  signal: AbortSignal;
};

/**
 * Reads one call and stores its spans, and its recording if the setup fetches recordings. Scans and replays import calls only with this
 * function. The same call always becomes the same spans, so that the trace store stores them once. Throws only errors that do not concern
 * the call: a rejected key, a rate limit, an unavailable trace store.
 */
export const importCall = (parts: CallImport, callId: string): Promise<ImportResult> =>
  inSpan("import", { attributes: { "svc.call_id": callId } }, () => importOne(parts, callId));

async function importOne(parts: CallImport, callId: string): Promise<ImportResult> {
  const call = await parts.client.getCall(callId).catch((error: unknown) => {
    const failure = error instanceof PlatformError ? failureKindOf(error.kind) : undefined;
    if (failure === undefined) throw error;
    return { failure };
  });
  if ("failure" in call) return { callId, failure: call.failure };
  const { startMs: startedMs, endMs: endedMs, analysis } = call;
  if (!isComplete(call)) return { callId, failure: "conversation_incomplete", endedMs };
  let traceId: string;
  try {
    traceId = await storeSpans(parts, call);
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") throw error;
    parts.log.error({ err: error, call_id: callId }, "the spans of a call could not be stored");
    return { callId, failure: "internal", endedMs };
  }
  const url = parts.setup.fetches_recordings === 1 ? call.recordingUrl() : undefined;
  if (url !== undefined) await parts.fetchRecording({ project: parts.project, traceId, callId, url }, parts.signal);
  return { callId, traceId, hasAnalysis: analysis !== undefined, startedMs, endedMs };
}

/** Resolves with the trace's id when the spans are on disk. */
async function storeSpans({ intake, log, project }: CallImport, call: PlatformACall): Promise<string> {
  const request = callToSpans(call);
  const chunks = [Buffer.from(JSON.stringify(request))];
  const { accepted, rejected, reasons } = await intake.take({
    project: project.number,
    encoding: "json",
    compression: "identity",
    chunks,
  });
  if (accepted === 0) throw new Error(`the trace store rejected all ${rejected} spans`);
  if (rejected > 0) log.error({ call_id: call.callId, rejected, reasons }, "the trace store rejected spans of a call");
  return request.resourceSpans[0].scopeSpans[0].spans[0]!.traceId;
}

import { z } from "zod";
import { withoutSecretMembers } from "./without-secrets.ts";

export const TERMINAL_STATUSES = ["ended", "error", "not_connected"];

/** Disconnection reasons of calls in which nobody spoke. Such calls never get a transcript. */
const NEVER_TALKED = new Set(
  `dial_busy dial_failed dial_no_answer invalid_destination user_declined marked_as_spam scam_detected
  telephony_provider_permission_denied telephony_provider_unavailable sip_routing_error concurrency_limit_reached
  no_concurrency_fallback no_valid_payment error_user_not_joined registered_call_timeout`.split(/\s+/),
);

const KEEPS_ALL = "everything";
const KEEPS_NO_CONTENT = "basic_attributes_only";
const TRANSCRIPT_ITEMS_MAX = 5_000;
const WORDS_MAX = 5_000; // per item
const VALUES_MAX = 2_500;
const LABEL_CHARACTERS_MAX = 1_000;
const SUMMARY_NAMES = ["num", "min", "max", "p50", "p90", "p95", "p99"];
const LATEST_MS = Date.UTC(2200, 0);

const text = z.string().optional().catch(undefined);
const label = z
  .string()
  .transform((text) => text.slice(0, LABEL_CHARACTERS_MAX))
  .optional()
  .catch(undefined);
const number = z.number().optional().catch(undefined);
const members = z.record(z.string(), z.unknown()).optional().catch(undefined);
const list = z.array(z.unknown()).default([]).catch([]);

/** One entry of a transcript: speech, a tool call, a tool result, or an entry with an unknown role. */
export type TranscriptItem = z.infer<typeof TranscriptItem>;
const TranscriptItem = z.looseObject({
  role: text,
  content: text,
  words: list.transform((words) => words.slice(0, WORDS_MAX)),
  tool_call_id: text,
  name: text,
  arguments: text,
  successful: z.boolean().optional().catch(undefined),
});

const NO_ITEM: TranscriptItem = { words: [] };

const CallBody = z.looseObject({
  call_id: z.string().min(1).max(LABEL_CHARACTERS_MAX),
  agent_id: label,
  agent_name: label,
  agent_version: number,
  call_status: label,
  start_timestamp: number,
  end_timestamp: number,
  duration_ms: number,
  disconnection_reason: label,
  data_storage_setting: label,
  transcript_object: z.unknown().optional(),
  transcript_with_tool_calls: z.unknown().optional(),
  scrubbed_transcript_with_tool_calls: z.unknown().optional(),
  latency: members,
  llm_token_usage: members,
  call_cost: members,
  call_analysis: members,
});

/** A call of the platform, parsed tolerantly: a member of the wrong type is undefined. It contains no credential. */
export type PlatformACall = {
  callId: string;
  agentId: string | undefined;
  agentName: string | undefined;
  agentVersion: number | undefined;
  status: string | undefined;
  startMs: number | undefined;
  endMs: number | undefined;
  disconnectionReason: string | undefined;
  /** True when the platform stores everything, so that a transcript follows every call. */
  keepsTranscript: boolean;
  /** True when the platform stores no content, so that no transcript will come. */
  contentWithheld: boolean;
  /** Items in their order, with tool calls if the platform lists them. Undefined while the call has no transcript. */
  transcript: TranscriptItem[] | undefined;
  /** Number of the transcript's items beyond the limit. They are not read. */
  transcriptLeftOut: number;
  /** Raw values in milliseconds by component (`e2e`, `llm`, `tts`, `asr` …). */
  latencies: Record<string, number[]>;
  /** Percentiles and counts by component, with the names of the platform. */
  latencySummaries: Record<string, Record<string, number>>;
  /** Numbers of tokens of the requests to the language model; undefined when the platform reports no tokens. */
  tokens: number[] | undefined;
  cost: Record<string, unknown> | undefined;
  /** The platform's analysis, which arrives some time after the call. */
  analysis: Record<string, unknown> | undefined;
  /** Returns the address of the recording. It is a function, so that no copy of the call contains the address's signature. */
  recordingUrl: () => string | undefined;
  /** Every other member, unchanged. */
  others: Record<string, unknown>;
};

export function readCall(answer: unknown): PlatformACall | undefined {
  const parsed = CallBody.safeParse(withoutSecretMembers(answer));
  if (!parsed.success) return undefined;
  const {
    call_id,
    agent_id,
    agent_name,
    agent_version,
    call_status,
    start_timestamp,
    end_timestamp,
    duration_ms,
    disconnection_reason,
    data_storage_setting,
    transcript_object,
    transcript_with_tool_calls,
    scrubbed_transcript_with_tool_calls,
    latency = {},
    llm_token_usage,
    call_cost,
    call_analysis,
    ...others
  } = parsed.data;
  delete others["transcript"]; // The member repeats the items as text.
  const transcripts = [transcript_with_tool_calls, transcript_object, scrubbed_transcript_with_tool_calls].filter(
    Array.isArray,
  );
  const items = transcripts.find(({ length }) => length > 0) ?? transcripts[0];
  const startMs = timeOf(start_timestamp);
  const endMs = timeOf(end_timestamp) ?? timeOf((start_timestamp ?? NaN) + (duration_ms ?? NaN));
  return {
    callId: call_id,
    agentId: agent_id,
    agentName: agent_name,
    agentVersion: agent_version,
    status: call_status,
    startMs: startMs ?? endMs,
    endMs: endMs !== undefined && endMs >= (startMs ?? endMs) ? endMs : undefined,
    disconnectionReason: disconnection_reason,
    keepsTranscript: (data_storage_setting ?? KEEPS_ALL) === KEEPS_ALL,
    contentWithheld: data_storage_setting === KEEPS_NO_CONTENT,
    transcript: items?.slice(0, TRANSCRIPT_ITEMS_MAX).map((item) => TranscriptItem.safeParse(item).data ?? NO_ITEM),
    transcriptLeftOut: Math.max(0, (items?.length ?? 0) - TRANSCRIPT_ITEMS_MAX),
    latencies: Object.fromEntries(
      Object.entries(latency).map(([component, distribution]) => [component, valuesOf(distribution)]),
    ),
    latencySummaries: Object.fromEntries(
      Object.entries(latency).flatMap(([component, distribution]) => {
        const summary = summaryOf(distribution);
        return Object.keys(summary).length === 0 ? [] : [[component, summary]];
      }),
    ),
    tokens: llm_token_usage && tokensOf(llm_token_usage),
    cost: call_cost,
    analysis: call_analysis,
    recordingUrl: () => recordingUrlIn(answer),
    others,
  };
}

/** Returns the address of the recording. When the platform removes private data, only the scrubbed recording exists. */
function recordingUrlIn(answer: unknown): string | undefined {
  const { recording_url, scrubbed_recording_url } = answer as Record<string, unknown>;
  return [recording_url, scrubbed_recording_url].find((url) => typeof url === "string" && url !== "") as
    | string
    | undefined;
}

/**
 * Returns whether a call is complete. A call needs no transcript when the platform does not store it or when no one spoke. A call without
 * its analysis can be complete, because the analysis arrives later.
 */
export function isComplete(call: PlatformACall): boolean {
  if (call.startMs === undefined || !TERMINAL_STATUSES.includes(call.status ?? "")) return false;
  if (call.transcript !== undefined || !call.keepsTranscript || call.status === "not_connected") return true;
  return NEVER_TALKED.has(call.disconnectionReason ?? "") || call.endMs === call.startMs;
}

/** Returns a time; undefined for 0, which means an unknown time, and for a time after any plausible date. */
function timeOf(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 1 && ms <= LATEST_MS ? Math.round(ms) : undefined;
}

/** Returns the numbers of tokens of the requests, or one sum when the platform reports only the average and the count. */
function tokensOf(usage: Record<string, unknown>): number[] {
  const values = valuesOf(usage);
  const { average, num_requests: requests } = usage;
  if (values.length > 0 || typeof average !== "number" || typeof requests !== "number") return values;
  return [Math.round(average * requests)];
}

const summaryOf = (distribution: unknown): Record<string, number> =>
  Object.fromEntries(
    SUMMARY_NAMES.flatMap((name) => {
      const value = (distribution as Record<string, unknown> | null)?.[name];
      return typeof value === "number" && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );

function valuesOf(distribution: unknown): number[] {
  const values = (distribution as { values?: unknown } | null)?.values;
  if (!Array.isArray(values)) return [];
  return values.slice(0, VALUES_MAX).filter((value): value is number => Number.isFinite(value));
}

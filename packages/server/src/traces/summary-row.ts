import type { Channel } from "@svc/contract";
import { IDLE_MINUTES } from "@svc/contract/constants";
import type { Preview } from "./conversation/preview.ts";
import type { QualityTopic } from "./conversation/quality.ts";
import type { ReportedOutcome } from "./conversation/reported-outcome.ts";

/** A count is null until it is known. */
export type TraceSummaryRow = {
  traceId: string; // the earliest trace
  traceIds: string[]; // earliest first, at most `LIMITS.traceIdsShown`
  traces: number;
  conversation: string | null;
  source: "production" | "simulation";
  agent: string | null;
  agentVersion: string | null; // as last derived
  channel: Channel | null; // as last derived
  service: string | null;
  rootName: string | null;
  rootEnded: boolean;
  startedNs: bigint;
  endedNs: bigint | null;
  spans: number;
  errors: number; // failed spans; once the conversation is derived, also failed tool calls whose spans are not marked as failed
  isRead: boolean; // true: the derived conversation includes every span received so far
  turns: number | null;
  toolCalls: number | null;
  latency: LatencyRow | null;
  textResponse: LatencyRow | null; // null for a spoken conversation
  interruptions: number | null; // times that the user cut the agent short
  qualityTopics: QualityTopic[] | null;
  preview: { text: string; role: Preview["role"] | null } | null; // null role: read by a version that did not store it
  reported: ReportedOutcome | null;
  lastReceivedMs: number;
};

/** Milliseconds; a statistic without enough samples is null. */
export type LatencyRow = { n: number; mean: number | null; max: number | null; p50: number | null; p95: number | null };

export const isFinal = ({ isRead, rootEnded, lastReceivedMs }: TraceSummaryRow, nowMs: number): boolean =>
  isRead && (rootEnded || nowMs - lastReceivedMs >= IDLE_MINUTES * 60_000);

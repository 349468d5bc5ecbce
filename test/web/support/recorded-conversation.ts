import type { Trace } from "@svc/contract";
import { conversationOf } from "../../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../../packages/server/src/traces/stored-span.ts";
import { presentTrace } from "../../../packages/server/src/traces/present.ts";
import { spansOfCapture } from "../../support/spans-of-capture.ts";
import { summaryRow } from "../../support/summary-row.ts";

/** Returns a recorded conversation in the form in which the service's API returns it. */
export const recordedConversation = (set: string): Trace => conversationOfSpans(spansOfCapture(set));

/** Returns the conversation of these spans in the form in which the service's API returns it. */
export function conversationOfSpans(spans: readonly StoredSpan[]): Trace {
  const starts = spans.map(({ startNs }) => startNs);
  const ends = spans.map(({ endNs, startNs }) => endNs ?? startNs);
  const row = {
    ...summaryRow(),
    startedNs: starts.reduce((a, b) => (b < a ? b : a)),
    endedNs: ends.reduce((a, b) => (b > a ? b : a)),
    rootEnded: true,
    spans: spans.length,
  };
  return presentTrace(row, spans, conversationOf(spans), false, Date.parse("2026-11-22T00:00:00Z"));
}

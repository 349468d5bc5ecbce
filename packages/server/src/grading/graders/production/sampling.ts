import { isDrawn } from "../../../base/draw.ts";
import { type Evidence, evidenceOf } from "../../evidence.ts";
import { conversationOf } from "../../../traces/conversation/conversation.ts";
import { measuresOf } from "../../../traces/measures/measures-of.ts";
import type { StoredSpan } from "../../../traces/stored-span.ts";
import type { TraceSummaryRow } from "../../../traces/summary-row.ts";

type SampledGrader = { current: { id: string }; settings: { productionSampleRate: number } };

/** The name under which the grades of a conversation are stored. */
export const nameOf = ({ conversation, traceId }: TraceSummaryRow): string => conversation ?? traceId;

/**
 * All names under which grades of a conversation may be stored. Before a span with a conversation id arrives, grades are stored under a
 * trace id.
 */
export const namesOf = (row: TraceSummaryRow): string[] => [nameOf(row), ...row.traceIds];

/**
 * Returns whether the grader samples the conversation. The same rate always gives the same result. A higher rate also samples every
 * conversation of a lower rate.
 */
export const isSampled = ({ current, settings }: SampledGrader, conversation: string): boolean =>
  isDrawn(current.id, conversation, settings.productionSampleRate);

/**
 * Returns the evidence of a production conversation. `truncated`: besides the `lostSpans`, further spans of the conversation are not in
 * `spans`.
 */
export function evidenceOfProduction(
  row: TraceSummaryRow,
  spans: readonly StoredSpan[],
  truncated: boolean,
  lostSpans = 0,
): Evidence {
  const conversation = conversationOf(spans, lostSpans);
  return evidenceOf(conversation, measuresOf(conversation), {
    ending: null,
    complete: row.rootEnded && !truncated,
    toolsVisible: conversation.toolCalls.length > 0 || conversation.vocabulary === "platform_b",
    mockedTools: null,
    modality: null,
    scenario: null,
    persona: null,
    date: new Date(Number(row.startedNs / 1_000_000n)).toISOString().slice(0, 10),
  });
}

import { hash } from "node:crypto";
import { type Evidence, evidenceOf } from "../../grading/evidence.ts";
import { conversationOf } from "../../traces/conversation.ts";
import { measuresOf } from "../../traces/measures/measures-of.ts";
import type { StoredSpan } from "../../traces/stored-span.ts";
import type { TraceSummaryRow } from "../../traces/summary-row.ts";
import type { Grader } from "../grader.ts";

const HASH_BITS = 48;

/** What a conversation is graded under: the id that it names, or the id of its one trace. */
export const nameOf = ({ conversation, traceId }: TraceSummaryRow): string => conversation ?? traceId;

/** A trace that named no conversation at first was graded under its own id. */
export const namesOf = (row: TraceSummaryRow): string[] => [nameOf(row), ...row.traceIds];

/** The same answer whenever it is asked; a higher rate samples the same conversations and more. */
export function isSampled({ current, settings }: Pick<Grader, "current" | "settings">, conversation: string): boolean {
  const digest = hash("sha256", `${current.id} ${conversation}`, "buffer");
  return digest.readUIntBE(0, HASH_BITS / 8) / 2 ** HASH_BITS < settings.productionSampleRate;
}

/** `truncated`: the conversation has more spans than these. */
export function evidenceOfProduction(row: TraceSummaryRow, spans: readonly StoredSpan[], truncated: boolean): Evidence {
  const conversation = conversationOf(spans);
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

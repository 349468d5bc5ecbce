import type { DeletedConversations } from "../../../traces/erasure/deleted-conversations.ts";
import { conversationOf } from "../../../traces/conversation/conversation.ts";
import type { TraceReader } from "../../../traces/store/trace-store.ts";
import { type DecidingWords, decidingWordsOf } from "../deciding-words.ts";
import type { FailedConversation } from "../failed-conversation.ts";
import { isFailed } from "../grader.ts";
import type { ProductionStore } from "../store/production.ts";
import { nameOf, namesOf } from "./sampling.ts";

/** Reads what failed in a production conversation. Returns null if nothing failed, or if the project does not have the conversation. */
export type ReadFailedProduction = (
  project: { id: string; number: number },
  traceId: string,
) => Promise<FailedConversation | null>;

type Needs = { traces: TraceReader; isDeleted: DeletedConversations["isDeleted"]; store: ProductionStore };

export const createReadFailedProduction =
  ({ traces, isDeleted, store }: Needs): ReadFailedProduction =>
  async (project, traceId) => {
    const found = await traces.find(project.number, traceId);
    if (found === null) return null;
    const { summary, spans, lostSpans } = found;
    const names = [...new Set(namesOf(summary))];
    const newest = await store.newestGrades(project.id, names);
    const failed = newest.filter(({ grade }) => isFailed(grade));
    if (failed.length === 0) return null;
    const selection = {
      traceIds: summary.traceIds,
      names: summary.conversation === null ? [] : [summary.conversation],
    };
    return {
      source: "production",
      name: nameOf(summary),
      names,
      traceId: summary.traceId,
      runId: null,
      agentName: summary.agent,
      agentVersion: summary.agentVersion,
      startedAt: new Date(Number(summary.startedNs / 1_000_000n)).toISOString(),
      decidedAt: failed
        .map(({ gradedAt }) => gradedAt)
        .sort()
        .at(-1)!,
      grades: failed.map(({ grade }) => grade),
      ending: null,
      isVetoed: false,
      conversation: conversationOf(spans, lostSpans),
      isUnchanged: async (tx) =>
        !isDeleted(project.number, selection) && (await store.areNewest(tx, project.id, names, newest)),
    };
  };

/**
 * Returns a function that reads the words that decided a conversation's failure, those about `turn` if a grade decided there. They are null
 * when no grade failed, and when the words are unknown or erased.
 */
export const createReadDecidingWords =
  (readFailed: ReadFailedProduction) =>
  async (
    project: { id: string; number: number },
    traceId: string,
    turn: number | null,
  ): Promise<DecidingWords | null> => {
    const failed = await readFailed(project, traceId);
    return failed && decidingWordsOf(failed, turn);
  };

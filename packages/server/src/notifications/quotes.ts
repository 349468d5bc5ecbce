import type { ProjectEvent } from "@svc/contract";
import type { Project } from "../access/caller.ts";
import type { Log } from "../base/log/log.ts";
import type { DeletedConversations } from "../traces/erasure/deleted-conversations.ts";
import type { TraceReader } from "../traces/store/trace-store.ts";
import { quotedPart, type Words } from "./quote-rules.ts";

/** `traceId` is the trace of the conversation; null when the conversation has none. */
type FoundWords = Words & { traceId: string | null };

/**
 * Reads the words that decided a failure as they are now: of a conversation those about `turn` if a grade decided there, or else those of
 * another failed grade. Each function returns null when the words are unknown or erased.
 */
export type QuoteSources = {
  ofSimulation: (projectId: string, simulationId: string, turn: number | null) => Promise<FoundWords | null>;
  ofProduction: (project: Project, traceId: string, turn: number | null) => Promise<FoundWords | null>;
  ofGroup: (projectId: string, groupId: string) => Promise<FoundWords | null>;
};

/** Returns what a message about the event quotes; null when it quotes nothing. */
export type ReadQuote = (event: ProjectEvent) => Promise<string | null>;

type Needs = {
  sources: QuoteSources;
  reader: Pick<TraceReader, "list">;
  readProject: (projectId: string) => Promise<Project>;
  isDeleted: DeletedConversations["isDeleted"];
  log: Log;
};

export function createReadQuote({ sources, reader, readProject, isDeleted, log }: Needs): ReadQuote {
  async function wordsOf(event: ProjectEvent, project: Project): Promise<FoundWords | null> {
    switch (event.type) {
      case "simulation.failed":
        return sources.ofSimulation(project.id, event.data.simulation.id, null);
      case "conversation.failed":
        return sources.ofProduction(project, event.data.conversation.traceId, null);
      case "alert.raised": {
        // Alerts that an earlier version of the service wrote have no conversations.
        const [worst] = event.data.alert.conversations ?? [];
        return worst === undefined ? null : wordsOfTrace(project, worst);
      }
      case "group.opened":
      case "group.regressed":
        return sources.ofGroup(project.id, event.data.group.id);
      default:
        return null;
    }
  }

  async function wordsOfTrace(
    project: Project,
    { traceId, turn }: { traceId: string; turn: number | null },
  ): Promise<FoundWords | null> {
    const { rows } = await reader.list({
      project: project.number,
      limit: 1,
      sort: { by: "startedAt", descending: true },
      after: undefined,
      filters: { traceIds: [traceId] },
    });
    const [row] = rows;
    if (row?.source === "simulation" && row.conversation !== null)
      return sources.ofSimulation(project.id, row.conversation, turn);
    return row === undefined ? null : sources.ofProduction(project, traceId, turn);
  }

  return async (event) => {
    try {
      const project = await readProject(event.projectId);
      const found = await wordsOf(event, project);
      if (found === null) return null;
      // The texts of a deleted conversation are erased some time after the conversation is marked as deleted.
      const { traceId } = found;
      if (traceId !== null && isDeleted(project.number, { traceIds: [traceId], names: [] })) return null;
      return quotedPart(found);
    } catch (error) {
      log.warn(
        { err: error, event: event.id },
        "the quote of a message could not be read; the message is sent without it",
      );
      return null;
    }
  };
}

import { LIMITS } from "@svc/contract";
import type { ServiceContext } from "../context.ts";
import type { Graders } from "../grading/graders/open.ts";
import type { Routes } from "../http/operation.ts";
import type { Runs } from "../runs/open.ts";
import type { ConversationTexts } from "../traces/erasure/open.ts";
import type { Traces } from "../traces/open.ts";
import { createEmbed } from "./embeddings.ts";
import { type EmbeddingPace, PACE, startEmbedding } from "./embed-due.ts";
import { type GroupingPace, startGrouping } from "./group-due.ts";
import { createMeaning } from "./meaning.ts";
import { decodeCursor, encodeCursor, type ListCursor, presentGroup, presentMember } from "./rules.ts";
import { createDueStore } from "./store/due.ts";
import { createEmbeddingStore } from "./store/embedding.ts";
import { createGroupingStore } from "./store/grouping.ts";
import { BOUNDS, type GroupBounds, type Grouping } from "./store/regroup.ts";
import { createGroupStore, type GroupStore, type ShownGroup } from "./store/groups.ts";

/** Only specs change these settings. */
export type GroupOptions = {
  pace?: Partial<GroupingPace>;
  embeddingPace?: Partial<EmbeddingPace>;
  bounds?: Partial<GroupBounds>;
};

type UsedFeatures = {
  graders: Pick<Graders, "readFailed">;
  runs: Pick<Runs, "readFailed">;
  traces: Pick<Traces, "intake">;
};

export function openGroups(
  { config, conditions, db, log }: Pick<ServiceContext, "config" | "conditions" | "db" | "log">,
  { graders, runs, traces }: UsedFeatures,
  { pace, embeddingPace, bounds: changedBounds }: GroupOptions = {},
) {
  const store = createGroupStore(db);
  const bounds = { ...BOUNDS, ...changedBounds };
  const { embeddings } = config;
  const by: Grouping = { bounds, meaning: embeddings && createMeaning(embeddings, bounds.wordings) };
  const grouping = createGroupingStore(db, by);
  const paceOfEmbedding = { ...PACE, ...embeddingPace };
  const embedding = startEmbedding({
    store: createEmbeddingStore(db, by),
    embed: embeddings && createEmbed(embeddings, paceOfEmbedding.timeoutMs),
    conditions,
    log,
    pace: paceOfEmbedding,
  });
  const worker = startGrouping({
    due: createDueStore(db),
    grouping,
    readSimulation: runs.readFailed,
    readProduction: graders.readFailed,
    isIncomplete: traces.intake.isCatchingUp,
    log,
    pace,
  });
  const texts: ConversationTexts = {
    eraseConversations: grouping.removeConversations,
    eraseBefore: grouping.removeBefore,
  };
  return {
    texts,
    readTitle: store.readTitle,
    projectsOf: { group: store.findProjects },
    routes: groupRoutes(store),
    async close(): Promise<void> {
      await Promise.all([worker.close(), embedding.close()]);
    },
  };
}

function groupRoutes(store: GroupStore): Routes<"groups"> {
  async function present(rows: readonly ShownGroup[]) {
    const nowMs = Date.now();
    const facts = await store.factsOf(
      rows.map(({ id }) => id),
      nowMs,
    );
    return rows.map((row) => presentGroup(row, facts, nowMs));
  }
  const presentOne = async (row: ShownGroup) => ({ group: (await present([row]))[0]! });

  /** `rows` has one more row when there is a next page. */
  function pageOf<Row>(rows: readonly Row[], limit: number, sort: string, cursorOf: (row: Row) => ListCursor) {
    const items = rows.slice(0, limit);
    return { items, next: rows.length > limit ? encodeCursor(sort, cursorOf(items.at(-1)!)) : null };
  }

  return {
    groups: {
      list: async ({ project, query: { sort = "last_seen", pageSize, pageToken, state, agent, source } }) => {
        const limit = pageSize ?? LIMITS.pageSizeDefault;
        const after = decodeCursor(sort, pageToken);
        const rows = await store.list(project.id, { state, agent, source }, sort, limit + 1, after);
        const { items, next } = pageOf(rows, limit, sort, (row) => ({ value: String(row[sort]), id: row.id }));
        return { groups: await present(items), nextPageToken: next };
      },

      get: async ({ project, params }) => presentOne(await store.get(project.id, params.groupId)),

      members: async ({ project, params, query: { pageSize, pageToken } }) => {
        const { id } = await store.get(project.id, params.groupId);
        const limit = pageSize ?? LIMITS.pageSizeDefault;
        const rows = await store.listMembers(id, limit + 1, decodeCursor("members", pageToken));
        const { items, next } = pageOf(rows, limit, "members", (row) => ({
          value: row.started_at,
          id: row.conversation,
        }));
        return { members: items.map(presentMember), nextPageToken: next };
      },

      edit: async ({ caller, project, params, body }) => {
        const { id } = await store.get(project.id, params.groupId);
        await store.setState(project.id, id, body, caller.userId);
        return presentOne(await store.get(project.id, id));
      },
    },
  };
}

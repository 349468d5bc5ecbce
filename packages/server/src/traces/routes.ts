import { setImmediate as nextTurn } from "node:timers/promises";
import { LIMITS, READING_LAG_HEADER, type Verdict, type VerdictCounts } from "@svc/contract";
import type { Context } from "koa";
import { notFound } from "../base/errors.ts";
import { checkDeclaredLength, readBody } from "../http/body.ts";
import type { Routes } from "../http/operation.ts";
import type { Intake } from "./intake/intake.ts";
import { decideMetrics, decidePeriod, tooManyPoints } from "./metrics/metric-rules.ts";
import type { ReadWaits } from "./intake/read-waits.ts";
import { otlpAnswers, partialSuccessOf } from "./otlp/respond.ts";
import { presentSummary, presentTotal, presentTurn } from "./present.ts";
import { presentConversationCounts, presentMetrics, presentToolUse } from "./metrics/present-metrics.ts";
import {
  type ConversationQuery,
  decideList,
  encodePageToken,
  otlpEncodingOf,
  type ResolvedIds,
  traceIdOf,
} from "./rules.ts";
import type { TraceSummaryRow } from "./summary-row.ts";
import type { SpanLoader, TraceReader } from "./store/trace-store.ts";
import { decideTurns, turnTokenOf } from "./turn-rules.ts";
import { MAPPING_VERSION } from "./vocabulary/version.ts";

export type OtherRecords = {
  agentNames: (projectId: string, agentId: string) => Promise<string[]>;
  simulationsOf: (projectId: string, runId: string) => Promise<string[]>;
  tracesOfAlert: (projectId: string, alertId: string) => Promise<string[]>;
  /** Returns the names of the newest conversations with the verdict: at most `limit` of production and at most `limit` simulations. */
  conversationsWithVerdict: (projectId: string, verdict: Verdict, limit: number) => Promise<string[]>;
  /** The keys are the indexes in `conversations`. */
  countProductionVerdicts: (
    projectId: string,
    conversations: readonly { names: readonly string[] }[],
  ) => Promise<Map<number, VerdictCounts>>;
  /** The keys are the simulations' ids. */
  countSimulationVerdicts: (projectId: string, ids: readonly string[]) => Promise<Map<string, VerdictCounts>>;
};

/** The erasure of conversations. It opens after all features whose texts it erases. */
export type DeletesConversations = {
  deleteConversation: (project: { id: string; number: number }, traceId: string) => Promise<void>;
};

/** Returns all names under which graders may have graded a production conversation; no names for a simulation. */
const namesOfRow = ({ source, conversation, traceIds }: TraceSummaryRow) => ({
  names: source === "simulation" ? [] : [...(conversation === null ? [] : [conversation]), ...traceIds],
});

export function traceRoutes(
  intake: Intake,
  reader: TraceReader,
  loader: Pick<SpanLoader, "readingLagMs">,
  waits: ReadWaits,
  records: OtherRecords,
  erasure: DeletesConversations,
): Routes<"traces" | "turns" | "metrics"> {
  async function resolveIds(
    projectId: string,
    { agentId, runId, alertId, verdict }: Pick<ConversationQuery, "agentId" | "runId" | "alertId" | "verdict">,
  ): Promise<ResolvedIds> {
    return {
      agentNames: agentId === undefined ? undefined : await records.agentNames(projectId, agentId),
      simulations: runId === undefined ? undefined : await records.simulationsOf(projectId, runId),
      traceIds: alertId === undefined ? undefined : await records.tracesOfAlert(projectId, alertId),
      conversations:
        verdict === undefined
          ? undefined
          : await records.conversationsWithVerdict(projectId, verdict, LIMITS.conversationsOfVerdict),
    };
  }

  /** Returns the counts in the order of the rows; undefined for a conversation without verdicts. */
  async function countVerdicts(
    projectId: string,
    rows: readonly TraceSummaryRow[],
  ): Promise<(VerdictCounts | undefined)[]> {
    const ids = rows.flatMap(({ source, conversation }) => (source === "simulation" ? (conversation ?? []) : []));
    const [production, simulations] = await Promise.all([
      records.countProductionVerdicts(projectId, rows.map(namesOfRow)),
      records.countSimulationVerdicts(projectId, ids),
    ]);
    return rows.map(({ source, conversation }, at) =>
      source === "simulation" ? simulations.get(conversation ?? "") : production.get(at),
    );
  }

  const setLag = (http: Pick<Context, "set">) =>
    http.set(READING_LAG_HEADER, (loader.readingLagMs() / 1000).toFixed(1));

  return {
    traces: {
      ingest: {
        handle: async ({ project, http }) => {
          checkDeclaredLength(http.req, LIMITS.traceBodyBytes);
          const { encoding, compression } = otlpEncodingOf(http.headers);
          const chunks = await readBody(http.req, LIMITS.traceBodyBytes);
          return partialSuccessOf(await intake.take({ project: project.number, encoding, compression, chunks }));
        },
        encoding: otlpAnswers,
      },

      list: async ({ project, query, http }) => {
        setLag(http);
        const resolved = await resolveIds(project.id, query);
        const { rows, matches, next, total } = await reader.list(decideList(project.number, query, resolved));
        const verdicts = await countVerdicts(project.id, rows);
        const nowMs = Date.now();
        return {
          traces: rows.map((row, at) => ({
            ...presentSummary(row, nowMs),
            verdicts: verdicts[at] ?? null,
            searchMatch: matches[at] ?? null,
          })),
          nextPageToken: next && encodePageToken(query, next),
          ...presentTotal(total),
        };
      },

      get: async ({ caller, project, params, query, answering, http }) => {
        const traceId = traceIdOf(params.traceId);
        if (traceId === undefined) throw notFound();
        const { organizationId } = caller;
        const upToDate = query.wait
          ? await waits.upToDate(organizationId, project.number, traceId, query.wait * 1000, answering.gone)
          : null;
        const answer = await reader.answer(project.number, traceId, {
          takeSlot: answering.takeSlot,
          signal: answering.gone,
          nowMs: Date.now(),
          upToDate,
        });
        if (answer === null) throw notFound();
        setLag(http);
        return answer;
      },

      delete: async ({ project, params }) => {
        const traceId = traceIdOf(params.traceId);
        if (traceId === undefined) throw notFound();
        await erasure.deleteConversation(project, traceId);
      },

      remap: async ({ project, body }) => ({
        mappingVersion: MAPPING_VERSION,
        remaining: await reader.remap(project.number, body.all ?? false),
      }),
    },
    turns: {
      list: async ({ project, query, http }) => {
        setLag(http);
        const resolved = await resolveIds(project.id, query);
        const { rows, next } = await reader.listTurns(decideTurns(project.number, query, resolved));
        return { turns: rows.map(presentTurn), nextPageToken: next && turnTokenOf(query, next) };
      },
    },
    metrics: {
      get: async ({ project, query }) => {
        const request = decideMetrics(project.number, query, Date.now());
        const points = await reader.metrics(request);
        if (points === null) throw tooManyPoints();
        await nextTurn(); // receiving many points may have taken long: lets other work run first
        return presentMetrics(request, points);
      },

      conversations: async ({ project, query }) => {
        const period = decidePeriod(project.number, query, Date.now());
        const counts = await reader.countConversations(period);
        if (counts === null) throw tooManyPoints();
        await nextTurn();
        return presentConversationCounts(period, counts);
      },

      tools: async ({ project, query }) => {
        const period = decidePeriod(project.number, query, Date.now());
        const counts = await reader.countToolCalls(period);
        if (counts === null) throw tooManyPoints();
        await nextTurn();
        return presentToolUse(period, counts);
      },
    },
  };
}

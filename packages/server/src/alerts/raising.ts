import { type AlertInterval, type AlertRuleContent, LIMITS } from "@svc/contract";
import type { GradedCounts } from "../grading/graders/store/graded-counts.ts";
import type { CountedConversation, CountedThing, TraceReader } from "../traces/store/trace-store.ts";
import { intervalOfMeasure, intervalOfShare, ranksAround } from "./interval-rules.ts";
import type { JudgedWindow } from "./rules.ts";
import type { Project } from "./watched.ts";
import { windowMsOf } from "./windows.ts";

export type RaisingSources = {
  reader: Pick<TraceReader, "listCounted" | "readSpread" | "list">;
  listGraded: GradedCounts["listGraded"];
};

/** What is stored with an alert about the window that raised it. */
export type Raising = { conversations: CountedConversation[]; interval: AlertInterval | null };

/** Reads what `readWatched` counted, so it must run right after it. */
export async function readRaising(
  sources: RaisingSources,
  project: Project,
  content: AlertRuleContent,
  agent: string | null,
  window: RaisingWindow,
): Promise<Raising> {
  return {
    conversations: await readConversations(sources, project, content, agent, window),
    interval: await readInterval(sources.reader, project, content, agent, window),
  };
}

type RaisingWindow = Pick<JudgedWindow, "startMs" | "limit" | "value" | "samples">;

async function readInterval(
  reader: Pick<TraceReader, "readSpread">,
  project: Project,
  content: AlertRuleContent,
  agent: string | null,
  window: RaisingWindow,
): Promise<AlertInterval | null> {
  const { watch } = content;
  if (watch.kind !== "measure") return intervalOfShare(content, window);
  const { measure, statistic } = watch;
  const ranks = ranksAround(statistic, window.samples);
  const period = { ...periodOf(content, agent, window), project: project.number, source: content.source };
  return intervalOfMeasure(statistic, window, await reader.readSpread({ ...period, measure, ranks }));
}

const periodOf = (content: AlertRuleContent, agent: string | null, { startMs }: RaisingWindow) => ({
  fromMs: startMs,
  toMs: startMs + windowMsOf(content),
  agent,
  versions: content.agentVersions.length === 0 ? undefined : content.agentVersions,
  channels: content.channels.length === 0 ? undefined : content.channels,
});

/** Returns the conversations that made the value of the window bad, worst first. */
async function readConversations(
  sources: RaisingSources,
  project: Project,
  content: AlertRuleContent,
  agent: string | null,
  window: RaisingWindow,
): Promise<CountedConversation[]> {
  const { watch, condition, source } = content;
  const selected = { ...periodOf(content, agent, window), limit: LIMITS.alertConversations };
  const isAbove = condition.is === "above";
  if (watch.kind === "grader_failures") {
    const graded = { ...selected, projectId: project.id, grader: watch.grader, failed: isAbove };
    return tracesOf(sources.reader, project, await sources.listGraded(graded));
  }
  const counted = countedThing(watch, condition.is, window.limit!);
  return counted === null ? [] : sources.reader.listCounted({ ...selected, project: project.number, source, counted });
}

/** Returns null for failures of imports, because a call that is not imported is no conversation. */
function countedThing(
  watch: Exclude<AlertRuleContent["watch"], { kind: "grader_failures" }>,
  is: "above" | "below",
  limit: number,
): CountedThing | null {
  const isAbove = is === "above";
  switch (watch.kind) {
    case "measure":
      return { kind: "measure", measure: watch.measure, is, value: limit };
    case "errors":
      return { kind: "errors", failed: isAbove };
    case "tool_errors":
      return { kind: "tool", tool: watch.tool, failed: isAbove };
    case "endings":
      return { kind: "ending", ending: watch.ending, ended: isAbove };
    case "occurrences":
      return { kind: "occurrence", measure: watch.measure, occurs: isAbove };
    case "conversations":
      return { kind: "conversations" };
    case "import_failures":
      return null;
  }
}

/** Grades know their conversation by a name. */
async function tracesOf(
  reader: Pick<TraceReader, "list">,
  { number: project }: Project,
  graded: readonly { name: string; turn: number | null }[],
): Promise<CountedConversation[]> {
  if (graded.length === 0) return [];
  const { rows } = await reader.list({
    project,
    limit: graded.length,
    sort: { by: "startedAt", descending: true },
    after: undefined,
    filters: { source: "production", conversations: graded.map(({ name }) => name) },
  });
  const traceOf = new Map(
    rows.flatMap(({ traceId, traceIds, conversation }) =>
      [...traceIds, ...(conversation === null ? [] : [conversation])].map((name) => [name, traceId] as const),
    ),
  );
  return graded.flatMap(({ name, turn }) => {
    const traceId = traceOf.get(name);
    return traceId === undefined ? [] : [{ traceId, turn, value: null }];
  });
}

import { type AlertRuleContent, LIMITS } from "@svc/contract";
import type { GradedCounts } from "../grading/graders/store/graded-counts.ts";
import type { CountedConversation, CountedThing, TraceReader } from "../traces/store/trace-store.ts";
import type { JudgedWindow } from "./rules.ts";
import type { Project } from "./watched.ts";
import { windowMsOf } from "./windows.ts";

export type RaisingSources = {
  reader: Pick<TraceReader, "listCounted" | "list">;
  listGraded: GradedCounts["listGraded"];
};

/**
 * Returns the conversations that raised an alert, worst first: those that made the value of the window bad. Reads what
 * `readWatched` counted, so it must run right after it.
 */
export async function readRaising(
  sources: RaisingSources,
  project: Project,
  content: AlertRuleContent,
  agent: string | null,
  window: Pick<JudgedWindow, "startMs" | "limit">,
): Promise<CountedConversation[]> {
  const { watch, condition, agentVersions, channels, source } = content;
  const { startMs: fromMs } = window;
  const selected = {
    fromMs,
    toMs: fromMs + windowMsOf(content),
    agent,
    versions: agentVersions.length === 0 ? undefined : agentVersions,
    channels: channels.length === 0 ? undefined : channels,
    limit: LIMITS.alertConversations,
  };
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

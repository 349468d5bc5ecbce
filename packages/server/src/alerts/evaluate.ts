import { every } from "../base/async/every.ts";
import type { Log } from "../base/log/log.ts";
import type { DeletedConversations } from "../traces/erasure/deleted-conversations.ts";
import { type AlertRuleRow, contentOf, judgedAgents, judgeWindows, lastWindowEnd, NEW_STATE } from "./rules.ts";
import { type Raising, type RaisingSources, readRaising } from "./raising.ts";
import type { AlertRuleStore, JudgedAgent } from "./store/rule-records.ts";
import { readWatched, type Watching, withSharedReads } from "./watched.ts";
import { windowMsOf } from "./windows.ts";

/** Largest number of windows of a rule that are judged at once. After a long stop of the service, older windows are never judged. */
const WINDOWS_MAX = 500;

type Needs = {
  watching: Watching & RaisingSources;
  store: AlertRuleStore;
  isDeleted: DeletedConversations["isDeleted"];
  /** Whether conversations are missing because the trace store is being rebuilt. */
  isIncomplete: () => boolean;
  log: Log;
  everyMs: number;
};

/**
 * A window is judged `SETTLE_MS` after its end. Several processes may judge the same window, but only one of them
 * stores the result.
 */
export function startEvaluation({ watching, store, isIncomplete, isDeleted, log, everyMs }: Needs) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const evaluating = every(everyMs, evaluateDue, signal, (error) =>
    log.error({ err: error }, "alert rules could not be evaluated; the service tries again"),
  );

  async function evaluateDue(): Promise<void> {
    if (isIncomplete()) return;
    const together = withSharedReads(watching);
    for (const rule of await store.listDue(Date.now())) {
      if (signal.aborted) return;
      await evaluate(rule, together).catch((error: unknown) =>
        log.error({ err: error, alertRule: rule.id }, "an alert rule could not be evaluated; the service tries again"),
      );
    }
  }

  async function evaluate(rule: AlertRuleRow & { project_number: number }, from: Watching): Promise<void> {
    const content = contentOf(rule);
    const project = { id: rule.project_id, number: rule.project_number };
    const toMs = lastWindowEnd(content, Date.now());
    const fromMs = Math.max(rule.evaluated_to_ms, toMs - WINDOWS_MAX * windowMsOf(content));
    if (fromMs >= toMs) return;
    const found = await readWatched(from, project, content, {
      fromMs,
      toMs,
    });
    if (found === null) throw new Error("the windows have too many points");
    const states = await store.statesOf(rule.id);
    const judged = judgedAgents(content, found, new Set(states.keys()), fromMs).map((series) => {
      const before = states.get(series.agent) ?? NEW_STATE;
      return { agent: series.agent, ...judgeWindows(content, before, series, { fromMs: series.fromMs, toMs }) };
    });
    const agents: JudgedAgent[] = [];
    for (const one of judged) {
      const raisedBy: [number, Raising][] = [];
      for (const window of one.judged)
        if (window.action === "raise")
          raisedBy.push([window.startMs, await readRaising(watching, project, content, one.agent, window)]);
      agents.push({ ...one, raisedBy: new Map(raisedBy) });
    }
    await store.record(rule, toMs, agents, (traceId) => isDeleted(project.number, { traceIds: [traceId], names: [] }));
  }

  return {
    wake: evaluating.now,
    async close(): Promise<void> {
      stopping.abort();
      await evaluating.idle();
    },
  };
}

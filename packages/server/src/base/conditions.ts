import type { Log } from "./log/log.ts";

/** A problem of the running service, shown to people until it ends. The code that reports a condition also clears it. */
export type Condition = {
  code: string;
  /** Null for a condition of the whole service. */
  organizationId: string | null;
  projectId: string | null;
  /** Whether `/health` reports the service as degraded because of this condition. */
  degrades: boolean;
  /** False for a condition that ends without an action of a person, or that only informs. */
  needsAction: boolean;
  message: string;
  remedy: string;
  count: number;
  since: string;
  /** Time of the newest report. */
  at: string;
};

type ConditionReport = {
  code: string;
  organizationId?: string | null;
  projectId?: string | null;
  /** Default: true for a condition of the whole service. A condition of an organization or a project never degrades the service. */
  degrades?: boolean;
  /** Default: true. */
  needsAction?: boolean;
  message: string;
  remedy: string;
  count?: number;
  /** Time of the first report, if that was before the start of this process. Default: now. */
  since?: string;
  /** Cause of the condition. Only the log contains it. */
  error?: unknown;
};

export type Conditions = {
  /** Adds `count` (default: 1) to the condition with this code and project. Logs only the first report. */
  report: (report: ConditionReport) => void;
  /** Removes the condition with this code and project, and logs its end. */
  clear: (code: string, projectId?: string | null) => void;
  /** Oldest first. */
  list: () => Condition[];
};

export function createConditions(log: Log): Conditions {
  const conditions = new Map<string, Condition>();
  const keyOf = (code: string, projectId: string | null) => JSON.stringify([code, projectId]);

  return {
    report({
      code,
      organizationId = null,
      projectId = null,
      degrades = true,
      needsAction = true,
      message,
      remedy,
      count = 1,
      since,
      error,
    }) {
      const key = keyOf(code, projectId);
      const at = new Date().toISOString();
      const earlier = conditions.get(key);
      conditions.set(key, {
        code,
        organizationId,
        projectId,
        degrades: degrades && organizationId === null && projectId === null,
        needsAction,
        message,
        remedy,
        count: (earlier?.count ?? 0) + count,
        since: earlier?.since ?? since ?? at,
        at,
      });
      if (earlier !== undefined) return;
      // A report with `degrades: false` is not an error of the service, so the log has it as a warning.
      log[degrades ? "error" : "warn"](
        { condition: code, organizationId, projectId, count, remedy, ...(error !== undefined && { err: error }) },
        message,
      );
    },

    clear(code, projectId = null) {
      const wasThere = conditions.delete(keyOf(code, projectId));
      if (wasThere) log.info({ condition: code, projectId }, "the condition is over");
    },

    list: () => [...conditions.values()],
  };
}

import type { Log } from "./log/log.ts";

/** A problem of the running service. The code that reports it also clears it. */
export type Condition = {
  code: string;
  /** Null for a condition of the whole service. */
  organizationId: string | null;
  projectId: string | null;
  /** Whether `/health` says that the service is degraded. */
  degrades: boolean;
  /** False for a condition that ends by itself or only informs. */
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
  /** True by default for the whole service; the condition of an organization or a project never degrades. */
  degrades?: boolean;
  /** True by default. */
  needsAction?: boolean;
  message: string;
  remedy: string;
  count?: number;
  /** The time of the first report, when an earlier run made it; now by default. */
  since?: string;
  /** The cause, which only the log shows. */
  error?: unknown;
};

export type Conditions = {
  /** Adds `count` (1 by default) to the condition with this code and project; the first report is logged. */
  report: (report: ConditionReport) => void;
  /** Removes the condition with this code and project, and logs that it is over. */
  clear: (code: string, projectId?: string | null) => void;
  /** Returns all conditions, oldest first. */
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
      // A condition that does not degrade the service is no error of it.
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

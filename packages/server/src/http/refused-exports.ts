import type { Caller, Project } from "../access/caller.ts";
import type { Conditions } from "../base/conditions.ts";

/** Time without a rejected export after which a project's condition is cleared. */
const FORGOTTEN_AFTER_MS = 24 * 3600 * 1000;

export type RefusedExports = (caller: Caller, project: Project) => void;

export function createRefusedExports(conditions: Conditions, hasOwnLimit: boolean): RefusedExports {
  const timers = new Map<string, NodeJS.Timeout>();
  return ({ organizationId }, { id: projectId, name }) => {
    conditions.report({
      code: "exports_refused",
      organizationId,
      projectId,
      message: `The rate limit refused exports of spans to the project "${name}". A sender that gives up before the limit admits it loses these spans.`,
      remedy: `${hasOwnLimit ? "Raise" : "Set"} SVC_INGEST_RATE_LIMIT_PER_MINUTE at the service, or let the senders export every 5 s with a time limit of more than a minute: see docs/ingest.md.`,
    });
    const timer = timers.get(projectId);
    if (timer) timer.refresh();
    else timers.set(projectId, setTimeout(() => forget(projectId), FORGOTTEN_AFTER_MS).unref());
  };

  function forget(projectId: string): void {
    timers.delete(projectId);
    conditions.clear("exports_refused", projectId);
  }
}

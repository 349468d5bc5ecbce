import type { Project } from "../access/caller.ts";
import type { FreezeRun, RunOptions, RunStarter } from "./plan/freeze.ts";
import type { Scheduler } from "./play/scheduler.ts";
import type { RunRow } from "./rules.ts";
import type { IdempotentRequest, RunStore } from "./store/runs.ts";

/** Starts a run. If the same request created a run earlier, returns that run instead. */
export type StartRun = (
  project: Project,
  starter: RunStarter,
  options: RunOptions,
  request?: IdempotentRequest,
) => Promise<RunRow>;

type Needs = { store: RunStore; freezeRun: FreezeRun; scheduler: Scheduler };

export const createStartRun =
  ({ store, freezeRun, scheduler }: Needs): StartRun =>
  async (project, starter, options, request) => {
    const existing = request && (await store.findByRequest(project.id, request));
    if (existing) return existing;
    const { rows } = await freezeRun(project, options);
    const run = await store.create({ ...rows(starter), request });
    scheduler.look();
    return run;
  };

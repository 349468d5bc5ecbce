import type { Run } from "@svc/contract";
import type { AgentStore } from "../agents/store/agents.ts";
import { mapInSlices } from "../base/async/in-slices.ts";
import { presentRun } from "./present.ts";
import type { RunRow } from "./rules.ts";
import type { RunStore } from "./store/runs.ts";

export type PresentRuns = (runs: readonly RunRow[]) => Promise<Run[]>;

type Needs = {
  store: RunStore;
  agents: Pick<AgentStore, "mapNames">;
  scheduleNames: (ids: readonly string[]) => Promise<Map<string, string>>;
};

export const createPresentRuns =
  ({ store, agents, scheduleNames }: Needs): PresentRuns =>
  async (runs) => {
    if (runs.length === 0) return [];
    const ids = runs.map(({ id }) => id);
    const [counts, tests] = [await store.countSimulations(ids), await store.tallyTests(ids)];
    const names = await agents.mapNames(
      runs[0]!.project_id,
      runs.map(({ agent_id }) => agent_id),
    );
    const starters = await store.findStarters(ids);
    const schedules = await scheduleNames(runs.flatMap(({ schedule_id }) => schedule_id ?? []));
    return mapInSlices(runs, (run) =>
      presentRun(run, {
        agentName: names.get(run.agent_id)!,
        counts: counts.get(run.id) ?? [],
        tests: tests.get(run.id) ?? [],
        startedBy: starters.get(run.id) ?? null,
        scheduleName: schedules.get(run.schedule_id ?? "") ?? null,
      }),
    );
  };

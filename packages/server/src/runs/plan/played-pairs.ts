import type { RunStore } from "../store/runs.ts";

/** A test version and a persona that a run played together. `passed` is true when every iteration passed. */
export type PlayedPair = { testId: string; testVersionId: string; personaId: string; passed: boolean };

export type ReadPlayedPairs = (projectId: string, runId: string) => Promise<PlayedPair[]>;

export const createReadPlayedPairs =
  (store: Pick<RunStore, "get" | "listAllSimulations">): ReadPlayedPairs =>
  async (projectId, runId) => {
    const { id } = await store.get(projectId, runId);
    const simulations = (await store.listAllSimulations(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const pairs = Map.groupBy(simulations, (one) => `${one.test_version_id} ${one.persona_id}`);
    return [...pairs.values()].map((iterations) => ({
      testId: iterations[0]!.test_id,
      testVersionId: iterations[0]!.test_version_id,
      personaId: iterations[0]!.persona_id,
      passed: iterations.every(({ verdict }) => verdict === "passed"),
    }));
  };

import { setImmediate as yieldToOthers } from "node:timers/promises";
import { LIMITS, type RunBehavior, type RunGrid, type TestResults, type Verdict } from "@svc/contract";
import type { AgentStore } from "../agents/store/agents.ts";
import type { TestStore } from "../authoring/test-definitions/store.ts";
import { FLAKY_RUNS_MAX, passRateOf, tallyOf } from "../grading/statistics/pass-rates.ts";
import { wilson } from "../grading/statistics/statistics.ts";
import type { Page, PageRequest } from "../stores/page.ts";
import { addOutcomes, type BehaviorGroup, presentBehavior, sortedGroups } from "./group-behaviors.ts";
import { type LastResults, presentTestResults } from "./present-pass-rates.ts";
import { type VersionNumbers, vetoGrade } from "./present.ts";
import type { RunRow, SimulationSummaryRow } from "./rules.ts";
import type { RunStore } from "./store/runs.ts";

const SIMULATIONS_AT_ONCE = 20;

type BehaviorFilter = { testId?: string | undefined; verdict?: Verdict | undefined };
type TestFilter = { suiteId?: string | undefined; testId?: string | undefined; agentId?: string | undefined };

type RunResults = {
  grid: (run: RunRow) => Promise<RunGrid>;
  /** Returns at most `LIMITS.runBehaviorsShown` groups; `total` is the number of all groups that match the filter. */
  behaviors: (run: RunRow, filter: BehaviorFilter) => Promise<{ behaviors: RunBehavior[]; total: number }>;
  ofTests: (projectId: string, filter: TestFilter, page: PageRequest) => Promise<Page<TestResults>>;
};

export function createRunResults(store: RunStore, tests: TestStore, agents: AgentStore): RunResults {
  const numbersOf = (rows: readonly SimulationSummaryRow[]) =>
    tests.mapVersionNumbers(rows.map(({ test_version_id }) => test_version_id));

  return {
    async grid(run) {
      const rows = await store.listAllSimulations(run.id);
      await yieldToOthers();
      return presentGrid(rows, await numbersOf(rows));
    },

    async behaviors(run, { testId, verdict }) {
      const all = await store.listAllSimulations(run.id);
      const simulations = testId === undefined ? all : all.filter(({ test_id }) => test_id === testId);
      const groups = new Map<string, BehaviorGroup>();
      for (let from = 0; from < simulations.length; from += SIMULATIONS_AT_ONCE) {
        const some = simulations.slice(from, from + SIMULATIONS_AT_ONCE);
        addOutcomes(groups, some, [...some.flatMap(vetoOutcome), ...(await store.outcomesOf(some))]);
        await yieldToOthers();
      }
      const sorted = sortedGroups(groups, verdict);
      const shown = sorted.slice(0, LIMITS.runBehaviorsShown);
      const versions = await numbersOf(shown.map(({ simulation }) => simulation));
      const evidence = await store.evidenceOf(shown.flatMap(({ outcome }) => outcome.gradeId ?? []));
      return {
        behaviors: shown.map((group) => {
          const version = versions.get(group.simulation.test_version_id)!;
          return presentBehavior(group, version, evidence.get(group.outcome.gradeId ?? "") ?? []);
        }),
        total: sorted.length,
      };
    },

    async ofTests(projectId, { suiteId, testId, agentId }, page) {
      if (agentId !== undefined) await agents.get(projectId, agentId);
      const { items, next } =
        testId === undefined
          ? await tests.list(projectId, { suiteId }, page)
          : { items: [await tests.get(projectId, testId)], next: null };
      const results = new Map<string, LastResults>();
      for (const test of items) {
        await yieldToOthers();
        const last = await store.findLastRun(test.id, agentId);
        if (!last) continue;
        const { testVersionId } = last;
        const runs = await store.listLastRuns(last, { testId: test.id, testVersionId }, FLAKY_RUNS_MAX);
        results.set(test.id, { testVersionId, agentId: last.agent_id, runs });
      }
      const found = [...results.values()];
      const names = {
        agents: await agents.mapNames(
          projectId,
          found.map((result) => result.agentId),
        ),
        versions: await tests.mapVersionNumbers(found.map((result) => result.testVersionId)),
      };
      return { items: items.map(({ id }) => presentTestResults(id, results.get(id), names)), next };
    },
  };
}

const vetoOutcome = ({ id, veto_reason }: SimulationSummaryRow) =>
  veto_reason === null ? [] : [{ ...vetoGrade(veto_reason), gradeId: null, simulationId: id }];

type GridTest = RunGrid["tests"][number];

/** Presents the simulations of a run as a table. `rows` must be in the order of personas and iterations. */
function presentGrid(rows: readonly SimulationSummaryRow[], versions: VersionNumbers): RunGrid {
  const personas = new Map(rows.map(({ persona_id, persona_name }) => [persona_id, persona_name]));
  const tests = [...Map.groupBy(rows, ({ test_version_id }) => test_version_id).values()];
  return {
    personas: [...personas].map(([personaId, personaName]) => ({ personaId, personaName })),
    tests: tests.map((simulations) => presentGridTest(simulations, versions)).sort(worstFirst),
  };
}

function presentGridTest(rows: readonly SimulationSummaryRow[], versions: VersionNumbers): GridTest {
  const first = rows[0]!;
  const played = rows.filter(({ status }) => status !== "canceled");
  const final = played.filter(({ grading }) => grading === "settled");
  const tally = tallyOf(final.map(({ verdict }) => verdict));
  const interval = wilson(tally.passed, tally.played);
  return {
    testId: first.test_id,
    testVersionId: first.test_version_id,
    testVersion: versions.get(first.test_version_id)!,
    testName: first.test_name,
    ...tally,
    pending: played.length - final.length,
    passRate: passRateOf(tally),
    passRateLow: interval && interval.low,
    passRateHigh: interval && interval.high,
    mixed: tally.passed > 0 && tally.failed > 0,
    simulations: rows.map((row) => ({
      id: row.id,
      personaId: row.persona_id,
      iteration: row.iteration,
      status: row.status,
      verdict: row.grading === "settled" ? row.verdict : null,
      behaviorsGraded: row.behaviors_graded,
      behaviorCount: row.behavior_count,
    })),
  };
}

const worstFirst = (one: GridTest, other: GridTest): number =>
  (one.passRate ?? 2) - (other.passRate ?? 2) || one.testName.localeCompare(other.testName, "en");

import type { Answer, Operations } from "@svc/sdk";

type Run = Answer<Operations["runs"]["list"]>["runs"][number];
type Behavior = Answer<Operations["runs"]["behaviors"]>["behaviors"][number];
type GridTest = Answer<Operations["runs"]["grid"]>["grid"]["tests"][number];
type Setup = Answer<Operations["monitoring"]["list"]>["setups"][number];
type ToolSeries = Answer<Operations["metrics"]["tools"]>["series"][number];

export type RunResults = { run: Run; tests: readonly GridTest[]; behaviors: readonly Behavior[] };

/** `needsALook` returns the kinds in this order. */
export type Attention =
  | { kind: "failing_test"; run: Run; test: GridTest; behavior: Behavior | undefined }
  | { kind: "refused_key"; setup: Setup }
  | { kind: "failed_imports"; count: number }
  | { kind: "failing_tools"; agentName: string | null; calls: number; errors: number; worst: ToolSeries };

/** Failed share of an agent's tool calls above which they need attention, if there are at least `CALLS_MIN` calls. */
const FAILED_SHARE_MAX = 0.3;
const CALLS_MIN = 5;
const TESTS_SHOWN_MAX = 5;

/** Only the newest graded run of each agent is considered. */
export function newestFailedRuns(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs) if (run.gradingSettled && !newest.has(run.agentId)) newest.set(run.agentId, run);
  return [...newest.values()].filter(({ failedVerdicts }) => failedVerdicts > 0);
}

export function needsALook(
  results: readonly RunResults[],
  setups: readonly Setup[],
  tools: readonly ToolSeries[],
): Attention[] {
  return [
    ...results.flatMap(failingTests).slice(0, TESTS_SHOWN_MAX),
    ...setups
      .filter(({ health }) => health.state === "invalid_credential")
      .map((setup): Attention => ({ kind: "refused_key", setup })),
    ...failedImports(setups),
    ...failingTools(tools),
  ];
}

function failingTests({ run, tests, behaviors }: RunResults): Attention[] {
  return tests
    .filter(({ failed }) => failed > 0)
    .map((test) => {
      const behavior = behaviors.find(({ testId, counts, failed }) => testId === test.testId && counts && failed > 0);
      return { kind: "failing_test", run, test, behavior };
    });
}

function failedImports(setups: readonly Setup[]): Attention[] {
  const count = setups.flatMap(({ agents }) => agents).reduce((sum, agent) => sum + agent.open_failures, 0);
  return count === 0 ? [] : [{ kind: "failed_imports", count }];
}

/** Calls whose result is unknown do not count. */
function failingTools(tools: readonly ToolSeries[]): Attention[] {
  const ofAgent = Map.groupBy(tools, ({ agentName }) => agentName);
  return [...ofAgent].flatMap(([agentName, series]): Attention[] => {
    const calls = series.reduce((sum, each) => sum + each.calls - each.unknown, 0);
    const errors = series.reduce((sum, each) => sum + each.errors, 0);
    if (calls < CALLS_MIN || errors / calls <= FAILED_SHARE_MAX) return [];
    const worst = series.reduce((most, each) => (each.errors > most.errors ? each : most));
    return [{ kind: "failing_tools", agentName, calls, errors, worst }];
  });
}

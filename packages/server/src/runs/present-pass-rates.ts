import type { AgentPassRate, TestPassRate, TestResults } from "@svc/contract";
import {
  isFlaky,
  passHatKs,
  passRateInterval,
  passRateOf,
  sumOf,
  type Tally,
} from "../grading/statistics/pass-rates.ts";
import type { VersionNumbers } from "./present.ts";
import { type RunWithVerdicts, tallyOfCounts, testTallies } from "./verdict-counts.ts";

export function presentTestPassRate(
  { run, verdicts }: RunWithVerdicts,
  agentName: string,
  versions: VersionNumbers,
): TestPassRate {
  const tally = tallyOfCounts(verdicts);
  const testVersionIds = [...new Set(verdicts.map(({ testVersionId }) => testVersionId))].sort();
  return {
    ...ofRun({ run, verdicts }, [tally]),
    agentId: run.agent_id,
    agentName,
    testVersionIds,
    testVersions: testVersionIds.map((id) => versions.get(id)!),
  };
}

/** Last results of a test: the test version, the agent, and the runs in the order of `listLastRuns`. */
export type LastResults = { testVersionId: string; agentId: string; runs: readonly RunWithVerdicts[] };

export function presentTestResults(
  testId: string,
  results: LastResults | undefined,
  names: { agents: ReadonlyMap<string, string>; versions: VersionNumbers },
): TestResults {
  const runs = (results?.runs ?? []).map(({ run, verdicts }) => ({ run, tally: tallyOfCounts(verdicts) }));
  const tallies = runs.map(({ tally }) => tally);
  return {
    testId,
    testVersionId: results?.testVersionId ?? null,
    testVersion: results ? names.versions.get(results.testVersionId)! : null,
    agentId: results?.agentId ?? null,
    agentName: results ? names.agents.get(results.agentId)! : null,
    flaky: isFlaky(tallies),
    ...sumOf(tallies),
    runs: runs
      .map(({ run, tally }) => ({ runId: run.id, runName: run.name, createdAt: run.created_at, ...tally }))
      .toReversed(),
  };
}

export function presentAgentPassRate({ run, verdicts }: RunWithVerdicts): AgentPassRate {
  const tests = testTallies(verdicts);
  const interval = passRateInterval(tests, run.id);
  return {
    ...ofRun({ run, verdicts }, tests),
    testCount: tests.length,
    passRateLow: interval && interval.low,
    passRateHigh: interval && interval.high,
  };
}

function ofRun({ run, verdicts }: RunWithVerdicts, tests: readonly Tally[]) {
  const tally = sumOf(tests);
  return {
    runId: run.id,
    runName: run.name,
    createdAt: run.created_at,
    ...tally,
    pending: verdicts.reduce((sum, { verdict, count }) => sum + (verdict === null ? count : 0), 0),
    passRate: passRateOf(tally),
    passHatK: passHatKs(tests),
  };
}

import type { AgentPassRate, TestPassRate } from "@svc/contract";
import { passHatKs, passRateInterval, passRateOf, sumOf, type Tally } from "../grading/pass-rates.ts";
import { type RunWithVerdicts, tallyOfCounts, testTallies } from "./verdict-counts.ts";

/** Presents the result of one test in one run. */
export function presentTestPassRate({ run, verdicts }: RunWithVerdicts): TestPassRate {
  const tally = tallyOfCounts(verdicts);
  return {
    ...ofRun({ run, verdicts }, [tally]),
    agentId: run.agent_id,
    testVersionIds: [...new Set(verdicts.map(({ testVersionId }) => testVersionId))].sort(),
  };
}

/** Presents the result of one run of an agent. */
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

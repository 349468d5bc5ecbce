import {
  type BehaviorReading,
  type GraderDefinition,
  readCallerScript,
  type RunPlan,
  SET_LANGUAGE_MODEL,
} from "@svc/contract";
import type { PinnedGrader } from "../../grading/graders/grader.ts";
import { mayNeedJudge } from "../../grading/expected-behaviors.ts";
import { asksAtMost } from "../../grading/judge/judge.ts";
import { readBehavior } from "../../grading/read-behavior.ts";
import { successConditions } from "../../grading/success-conditions.ts";
import type { Mock } from "../../authoring/mock-tools/mocks-for.ts";
import type { ProjectPersona } from "../../authoring/personas/persona.ts";
import type { TestContent, VersionOfTest } from "../../authoring/test-definitions/stored-test.ts";
import { ASKS_PER_MOVE_MAX } from "../callers/model.ts";
import { callerWarnings, isPlayable } from "../callers/playable.ts";
import type { RunHistory } from "../store/history.ts";
import { forecastPhoneCalls, type PlannedCalls, phoneCallWarnings } from "./plan-phone-calls.ts";

export type PlannedTest = { pinned: VersionOfTest; personas: ProjectPersona[] };

type PlannedRun = {
  tests: readonly PlannedTest[];
  graders: readonly PinnedGrader[];
  iterations: number;
  caller: "scripted" | "model";
  concurrency: number;
  turnLimit: number;
  hasModel: boolean;
  history: RunHistory;
  hasSound: boolean;
  connectionWarning: string | undefined;
  phoneCalls: PlannedCalls | null;
  incomingCalls: RunPlan["incomingCalls"];
  mocksOf: (content: TestContent) => ReadonlyMap<string, Mock>;
  soundWarnings: readonly string[];
};

export function forecast(run: PlannedRun): RunPlan {
  const { iterations, caller, concurrency, turnLimit, hasModel } = run;
  const tests = run.tests.map((test) => forecastTest(test, run));
  const simulationCount = tests.reduce((sum, { personas }) => sum + personas.length, 0) * iterations;
  const judgeAsks = run.tests.reduce((sum, test) => sum + judgeAsksOf(test, run.graders), 0) * iterations;
  // Each move of the caller adds a turn, except a move that hangs up. The agent may add no turn, so a simulation has at most
  // `turnLimit` moves.
  const moves = caller === "model" ? simulationCount * turnLimit : 0;
  return {
    simulationCount,
    caller,
    concurrency,
    tests,
    modelCallsAtMost: (hasModel ? judgeAsks : 0) + moves * ASKS_PER_MOVE_MAX,
    estimatedSeconds: estimateSeconds(run),
    estimatedJudgeCost: isJudged(run, tests) ? multiplied(run.history.judgeCost, simulationCount) : 0,
    phoneCalls: run.phoneCalls && forecastPhoneCalls(run.phoneCalls, simulationCount),
    incomingCalls: run.incomingCalls,
    warnings: [
      ...warningsOf(run, tests),
      ...(run.phoneCalls ? phoneCallWarnings(run.phoneCalls, simulationCount) : []),
    ],
  };
}

function forecastTest(
  { pinned: { record: test, version }, personas }: PlannedTest,
  { hasModel, hasSound, caller, mocksOf }: PlannedRun,
) {
  const succeedsWhen = successConditions(mocksOf(version.content).values());
  const readings = version.content.expected_behaviors.map((behavior) =>
    readBehavior(behavior, hasModel, { hasSound, succeedsWhen }),
  );
  const count = (decider: BehaviorReading["decidedBy"]) =>
    readings.filter(({ decidedBy }) => decidedBy === decider).length;
  return {
    testVersionId: version.id,
    testName: test.name,
    playable: caller === "model" || isPlayable(readCallerScript(version.content.scenario)),
    personas: personas.map(({ name }) => name),
    behaviors: readings.length,
    decidedByCheck: count("check"),
    decidedByJudge: count("judge"),
    undecided: count("nobody"),
    readings,
  };
}

/**
 * Returns the larger of two estimates in seconds: the longest simulation, and all simulations at the run's concurrency. Returns
 * null without a history.
 */
function estimateSeconds({ tests, iterations, concurrency, history }: PlannedRun): number | null {
  if (history.seconds === null) return null;
  let [longest, total] = [0, 0];
  for (const { pinned, personas } of tests) {
    const seconds = history.secondsOfTest.get(pinned.record.id) ?? history.seconds;
    longest = Math.max(longest, seconds);
    total += seconds * personas.length * iterations;
  }
  return Math.max(longest, total / concurrency);
}

/** Returns whether the judge certainly decides a part of the run. A check without a result may also ask the judge later. */
const isJudged = ({ graders, hasModel }: PlannedRun, tests: RunPlan["tests"]): boolean =>
  hasModel &&
  (tests.some(({ decidedByJudge }) => decidedByJudge > 0) ||
    graders.some(({ definition }) => definition.kind === "llm"));

const multiplied = (amount: number | null, count: number): number | null => (amount === null ? null : amount * count);

function warningsOf(run: PlannedRun, tests: RunPlan["tests"]): string[] {
  const warnings: string[] = [];
  const nobodys = tests.flatMap(({ readings }) => readings.filter(({ decidedBy }) => decidedBy === "nobody"));
  const undecided = nobodys.filter(({ form }) => form === null);
  const soundless = new Set(nobodys.flatMap(({ form, behavior }) => (form === null ? [] : behavior)));
  if (soundless.size > 0) warnings.push(soundlessWarning([...soundless]));
  const broken = undecided.filter(({ problem }) => problem !== null).length;
  if (broken > 0) {
    const behaviors = broken === 1 ? "1 behavior" : `${broken} behaviors`;
    warnings.push(`${behaviors} cannot be read and will not be graded: correct the test with \`svc tests edit\`.`);
  }
  const unjudged = undecided.length - broken;
  if (unjudged > 0) {
    const behaviors = unjudged === 1 ? "1 behavior is" : `${unjudged} behaviors are`;
    warnings.push(
      `Without a language model ${behaviors} not graded. ${SET_LANGUAGE_MODEL}, or write each in a form that code decides (docs/behaviors.md).`,
    );
  }
  const judging = run.graders.filter(({ definition }) => definition.kind === "llm").length;
  if (judging > 0 && !run.hasModel) {
    const graders = judging === 1 ? "1 grader decides" : `${judging} graders decide`;
    warnings.push(`Without a language model ${graders} nothing. ${SET_LANGUAGE_MODEL}.`);
  }
  if (!run.graders.some(({ definition }) => definition.kind === "expected_behaviors")) {
    warnings.push(
      "No grader looks at the expected behaviors: turn `Expected behaviors` on again in the project's graders.",
    );
  }
  const scenarios = run.tests.map(({ pinned: { record, version } }) => ({
    name: record.name,
    scenario: version.content.scenario,
  }));
  warnings.push(...callerWarnings(run.caller, scenarios));
  if (run.connectionWarning !== undefined) warnings.push(run.connectionWarning);
  warnings.push(...run.soundWarnings);
  return warnings;
}

const BEHAVIORS_NAMED = 5;

function soundlessWarning(behaviors: readonly string[]): string {
  const named = behaviors.slice(0, BEHAVIORS_NAMED).map((behavior) => `"${behavior}"`);
  const more = behaviors.length > named.length ? `, and ${behaviors.length - named.length} more` : "";
  return `This connection carries no sound, which these behaviors need: ${named.join(", ")}${more}. Run their tests over a connection with sound, such as websocket_audio.`;
}

function judgeAsksOf({ pinned, personas }: PlannedTest, graders: readonly PinnedGrader[]): number {
  const behaviors = pinned.version.content.expected_behaviors.filter(mayNeedJudge).length;
  return (
    asksAtMost(graders.reduce((sum, { definition }) => sum + judgedBy(definition, behaviors), 0)) * personas.length
  );
}

function judgedBy(definition: GraderDefinition, behaviors: number): number {
  if (definition.kind === "expected_behaviors") return behaviors;
  if (definition.kind === "check") return mayNeedJudge(definition.check) ? 1 : 0;
  return definition.kind === "llm" ? 1 : 0;
}

import type { RunPlan } from "@svc/contract";
import type { PinnedGrader } from "../graders/grader.ts";
import { parseCheck } from "../grading/checks/parse-check.ts";
import { mayNeedJudge } from "../grading/expected-behaviors.ts";
import { contentOf } from "../tests/rules.ts";
import { scriptOf } from "./caller/script.ts";
import type { Cast } from "./create.ts";

type Planned = {
  cast: readonly Cast[];
  graders: readonly PinnedGrader[];
  iterations: number;
  caller: "scripted" | "model";
  concurrency: number;
  turnLimit: number;
  hasModel: boolean;
  connectionType: string;
};

const VOTES_MAX = 3;
const TRIES_PER_VOTE_MAX = 2;

/** What a run would do, and what nothing in it will be able to decide. */
export function planOf({
  cast,
  graders,
  iterations,
  caller,
  concurrency,
  turnLimit,
  hasModel,
  connectionType,
}: Planned): RunPlan {
  const tests = cast.map(({ pinned, personas }) => {
    const { expected_behaviors: behaviors } = contentOf(pinned.version);
    const byCheck = behaviors.filter((behavior) => parseCheck(behavior) !== undefined).length;
    const others = behaviors.length - byCheck;
    return {
      testVersionId: pinned.version.id,
      testName: pinned.test.name,
      personas: personas.map(({ name }) => name),
      behaviors: behaviors.length,
      decidedByCheck: byCheck,
      decidedByJudge: hasModel ? others : 0,
      undecided: hasModel ? 0 : others,
    };
  });
  const each = (of: (test: (typeof tests)[number]) => number) =>
    tests.reduce((sum, test) => sum + of(test) * test.personas.length, 0) * iterations;
  const simulationCount = each(() => 1);
  const judging = graders.filter(({ definition }) => definition.kind === "llm").length;
  const ofBehaviors = graders.filter(({ definition }) => definition.kind === "expected_behaviors").length;
  const judgements = cast.reduce((sum, { pinned, personas }) => {
    const { expected_behaviors: behaviors } = contentOf(pinned.version);
    return sum + (behaviors.filter(mayNeedJudge).length * ofBehaviors + judging) * personas.length;
  }, 0);
  const judged = hasModel ? judgements * iterations * VOTES_MAX * TRIES_PER_VOTE_MAX : 0;
  const said = caller === "model" ? simulationCount * Math.ceil(turnLimit / 2) : 0;
  const undecided = tests.reduce((sum, test) => sum + test.undecided, 0);
  const scripted = cast.some(({ pinned }) => scriptOf(pinned.version.scenario) !== undefined);
  const warnings = [
    ...(undecided > 0
      ? [
          `${undecided} behaviors need a judge and will be not_graded: set SVC_LLM_BASE_URL and SVC_LLM_MODEL, or write them as checks.`,
        ]
      : []),
    ...(judging > 0 && !hasModel
      ? [`${judging} graders need a judge and will be not_graded: set SVC_LLM_BASE_URL and SVC_LLM_MODEL.`]
      : []),
    ...(ofBehaviors === 0
      ? ["No grader looks at the expected behaviors: turn `Expected behaviors` on again in the project's graders."]
      : []),
    ...(caller === "model" && scripted
      ? [
          "Scenarios with caller lines are read by the model as they are; choose the caller `scripted` to speak them word for word.",
        ]
      : []),
    ...(connectionType === "platform_b_console"
      ? ["The agent runs on your machine: start the run with `svc runs start --agent-command`."]
      : []),
  ];
  return { simulationCount, caller, concurrency, tests, modelCallsAtMost: judged + said, warnings };
}

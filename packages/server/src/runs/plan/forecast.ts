import type { GraderDefinition, RunPlan } from "@svc/contract";
import type { PinnedGrader } from "../../graders/grader.ts";
import { parseCheck } from "../../grading/checks/parse-check.ts";
import { mayNeedJudge } from "../../grading/expected-behaviors.ts";
import { ASKS_PER_BEHAVIOR_MAX } from "../../grading/judge/judge.ts";
import { ASKS_PER_MOVE_MAX } from "../callers/model.ts";
import { scriptOf } from "../callers/script.ts";
import type { Cast } from "./freeze.ts";

const SET_MODEL = "set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL at the service";

type Planned = {
  cast: readonly Cast[];
  iterations: number;
  caller: "scripted" | "model";
  concurrency: number;
  turnLimit: number;
  hasModel: boolean;
  connectionType: string;
  graders: readonly PinnedGrader[];
};

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
    const { expected_behaviors: behaviors } = pinned.version.content;
    const byCheck = behaviors.filter((behavior) => parseCheck(behavior) !== undefined).length;
    const others = behaviors.length - byCheck;
    return {
      testVersionId: pinned.version.id,
      testName: pinned.record.name,
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
  const judged = cast.reduce((sum, { pinned, personas }) => {
    const behaviors = pinned.version.content.expected_behaviors.filter(mayNeedJudge).length;
    return sum + graders.reduce((of, { definition }) => of + judgedBy(definition, behaviors), 0) * personas.length;
  }, 0);
  // Each move of the caller adds a turn, save the last; the agent may add none.
  const said = caller === "model" ? simulationCount * turnLimit : 0;
  const undecided = tests.reduce((sum, test) => sum + test.undecided, 0);
  const scripted = cast.some(({ pinned }) => scriptOf(pinned.version.content.scenario) !== undefined);
  const warnings = [
    ...(undecided > 0
      ? [
          `Without a language model ${undecided === 1 ? "1 behavior is" : `${undecided} behaviors are`} not graded: ${SET_MODEL}, or write each in a form that code decides (docs/behaviors.md).`,
        ]
      : []),
    ...(judging > 0 && !hasModel
      ? [
          `Without a language model ${judging === 1 ? "1 grader decides" : `${judging} graders decide`} nothing: ${SET_MODEL}.`,
        ]
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
  const modelCallsAtMost = (hasModel ? judged * iterations * ASKS_PER_BEHAVIOR_MAX : 0) + said * ASKS_PER_MOVE_MAX;
  return { simulationCount, caller, concurrency, tests, modelCallsAtMost, warnings };
}

/** How many criteria of a grader a model may judge in one simulation. */
function judgedBy(definition: GraderDefinition, behaviors: number): number {
  if (definition.kind === "expected_behaviors") return behaviors;
  if (definition.kind === "check") return mayNeedJudge(definition.check) ? 1 : 0;
  return definition.kind === "llm" ? 1 : 0;
}

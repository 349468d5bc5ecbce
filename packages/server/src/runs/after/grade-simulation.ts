import { connectionOption, ENDING_REASONS } from "@svc/contract";
import type { GradeConversation } from "../../grading/graders/grade-conversation.ts";
import type { NewGrade, PinnedGrader } from "../../grading/graders/grader.ts";
import { isDecided } from "../../grading/decision.ts";
import { type Evidence, evidenceOf } from "../../grading/evidence.ts";
import type { Spending } from "../../grading/judge/model.ts";
import type { Log } from "../../base/log/log.ts";
import { inSpan } from "../../base/own-spans.ts";
import { successConditions } from "../../grading/success-conditions.ts";
import { mocksFor } from "../../authoring/mock-tools/mocks-for.ts";
import type { TestContent } from "../../authoring/test-definitions/stored-test.ts";
import type { TestStore } from "../../authoring/test-definitions/store.ts";
import { conversationOf } from "../../traces/conversation/conversation.ts";
import type { Intake } from "../../traces/intake/intake.ts";
import { measuresOf } from "../../traces/measures/measures-of.ts";
import { type RunRow, type SimulationRow, snapshotOf, verdictOfEnding } from "../rules.ts";
import { spendingRefusal } from "../judge-cost.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import type { Transcript } from "../play/transcript.ts";
import type { GradingResult } from "../store/grading.ts";
import type { RunStore } from "../store/runs.ts";
import { spansOf } from "./spans.ts";
import { gradedParts, verdictOf } from "./verdict.ts";
import { writeSpans } from "./write-spans.ts";

export type GradeSimulation = (simulationId: string, signal: AbortSignal) => Promise<void>;

type Needs = {
  store: RunStore;
  log: Log;
  tests: TestStore;
  intake: Intake;
  grade: GradeConversation;
  /** Returns the graders for a simulation that is graded again. They replace the graders that were frozen with the run. */
  currentGraders: (projectId: string) => Promise<readonly PinnedGrader[]>;
};

/**
 * Creates the function that writes the spans of an ended simulation and grades it. The function skips a step that is already done. When
 * `signal` aborts, the simulation stays ungraded; the service grades it after its next start.
 */
export function createGradeSimulation({ store, log, tests, intake, grade, currentGraders }: Needs): GradeSimulation {
  return (simulationId, signal) =>
    inSpan("grade", { attributes: { "svc.simulation_id": simulationId } }, () => gradeOnce(simulationId, signal));

  async function gradeOnce(...[simulationId, signal]: Parameters<GradeSimulation>): Promise<void> {
    const simulation = await store.readSimulation(simulationId);
    const run = await store.readRun(simulation.run_id);
    const transcript: Transcript | null = simulation.transcript === null ? null : JSON.parse(simulation.transcript);
    if (simulation.spans_written === 0 && transcript)
      await writeSpans({ store, intake, log }, simulation, run, transcript);
    if (simulation.grading === "settled") return;
    const result = await gradingOf(simulation, run, transcript, signal);
    if (!signal.aborted) await store.finishGrading(simulation, result);
  }

  function spendingOf(runId: string): Spending {
    return {
      refusal: async () => spendingRefusal(await store.readRun(runId)),
      add: (usage) => store.addJudgeUsage(runId, usage),
    };
  }

  async function gradingOf(
    simulation: SimulationRow,
    run: RunRow,
    transcript: Transcript | null,
    signal: AbortSignal,
  ): Promise<GradingResult> {
    const ending = verdictOfEnding(simulation.ending_reason!);
    if (simulation.ending_reason === "stalled" || !transcript?.turns.some(({ role }) => role === "agent")) {
      return { verdict: ending ?? "not_graded", behaviorsGraded: 0, grades: [] };
    }
    const { version } = await tests.getVersion(run.project_id, simulation.test_version_id);
    const { expected_behaviors: behaviors } = version.content;
    const graders: readonly PinnedGrader[] =
      simulation.gradings === 0 ? JSON.parse(run.graders) : await currentGraders(run.project_id);
    const seed = `${simulation.id} ${simulation.gradings}`;
    let grades: NewGrade[];
    try {
      const evidence = evidenceOfSimulation(simulation, run, transcript, version.content);
      const spending = spendingOf(run.id);
      grades = await grade({ projectId: run.project_id, evidence, behaviors, graders, seed, signal, spending });
    } catch (error) {
      log.error({ err: error, simulation: simulation.id }, "a simulation could not be graded; its verdict is errored");
      return { verdict: "errored", behaviorsGraded: 0, grades: [] };
    }
    const parts = gradedParts(graders, grades, behaviors.length);
    return {
      verdict: verdictOf({ ...parts, ending, allowUngraded: run.allow_ungraded === 1 }),
      behaviorsGraded: parts.behaviors.filter(isDecided).length,
      grades,
    };
  }
}

function evidenceOfSimulation(
  simulation: SimulationRow,
  run: RunRow,
  transcript: Transcript,
  { scenario, mock_tools }: TestContent,
): Evidence {
  const reason = simulation.ending_reason!;
  const { connectionType, config } = snapshotOf(run);
  const conversation = conversationOf(Object.values(spansOf(simulation, "", transcript)).flat());
  const mocks = mocksFor(mock_tools, JSON.parse(run.mock_tools), run.agent_id);
  const succeedsWhen = successConditions(mocks.values());
  const { toolsVisible, endsOnlyByTool } = lineTypeOf(connectionType);
  return evidenceOf(conversation, measuresOf(conversation), {
    ending: { reason, by: ENDING_REASONS[reason].by },
    complete: true,
    toolsVisible: toolsVisible(config) || conversation.toolCalls.length > 0,
    endsOnlyByTool: endsOnlyByTool?.(config) === true,
    modality: connectionOption(connectionType).modalities.includes("voice") ? null : "text",
    mockedTools: new Set(transcript.toolUses.filter(({ mocked }) => mocked).map(({ name }) => name)),
    knownTools: { names: [...mocks.keys()], all: false },
    ...(succeedsWhen.size > 0 && { succeedsWhen }),
    scenario,
    persona: simulation.persona_name,
    date: new Date(transcript.startedMs).toISOString().slice(0, 10),
  });
}

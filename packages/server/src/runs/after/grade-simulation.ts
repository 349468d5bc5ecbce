import { ENDING_REASONS, type Verdict } from "@svc/contract";
import type { GradeConversation } from "../../graders/grade-conversation.ts";
import type { NewGrade, PinnedGrader } from "../../graders/grader.ts";
import { type Evidence, evidenceOf } from "../../grading/evidence.ts";
import { verdictOf } from "../../grading/verdict.ts";
import type { Log } from "../../log.ts";
import type { TestStore } from "../../test-definitions/store.ts";
import { conversationOf } from "../../traces/conversation.ts";
import type { Intake } from "../../traces/intake.ts";
import { measuresOf } from "../../traces/measures/measures-of.ts";
import { type ConnectionSnapshot, type RunRow, type SimulationRow, verdictOfEnding } from "../rules.ts";
import { otlpOf, spansOf } from "./spans.ts";
import type { Settled } from "../store/grades.ts";
import type { RunStore } from "../store/runs.ts";
import type { Transcript } from "../play/transcript.ts";

type Settling = {
  store: RunStore;
  log: Log;
  tests: TestStore;
  intake: Intake;
  grade: GradeConversation;
  /** The graders as they are now, for a simulation that is graded again. */
  currentGraders: (projectId: string) => Promise<readonly PinnedGrader[]>;
};

/** Writes an ended conversation's spans, and then its verdicts; whatever of both is done already stays. */
export function openSettle({ store, log, tests, intake, grade, currentGraders }: Settling) {
  return async (simulationId: string, signal: AbortSignal): Promise<void> => {
    const simulation = await store.anySimulation(simulationId);
    const run = await store.anyRun(simulation.run_id);
    const transcript: Transcript | null = simulation.transcript === null ? null : JSON.parse(simulation.transcript);
    if (simulation.spans_written === 0 && transcript) await writeSpans(simulation, run, transcript);
    if (simulation.grading === "settled") return;
    const settled = await graded(simulation, run, transcript, signal);
    // Stopped with the service: the next start grades it.
    if (!signal.aborted) await store.settle(simulation, settled);
  };

  async function writeSpans(simulation: SimulationRow, run: RunRow, transcript: Transcript): Promise<void> {
    const { connectionType }: ConnectionSnapshot = JSON.parse(run.connection);
    const { projectNumber, agentName } = await store.filedUnder(run);
    const spans = spansOf(aboutOf(simulation, agentName), transcript, connectionType === "platform_b_console");
    const body = Buffer.from(JSON.stringify(otlpOf(spans)));
    await intake.take({ project: projectNumber, encoding: "json", gzip: false, chunks: [body] });
    await store.spansWritten(simulation.id);
  }

  async function graded(
    simulation: SimulationRow,
    run: RunRow,
    transcript: Transcript | null,
    signal: AbortSignal,
  ): Promise<Settled> {
    const ending = verdictOfEnding(simulation.ending_reason!);
    if (!transcript?.turns.some(({ role }) => role === "agent")) {
      return { verdict: ending ?? "not_graded", behaviorsGraded: 0, grades: [] };
    }
    const { version } = await tests.getVersion(run.project_id, simulation.test_version_id);
    const { expected_behaviors: behaviors, scenario } = version.content;
    const graders: readonly PinnedGrader[] =
      simulation.gradings === 0 ? JSON.parse(run.graders) : await currentGraders(run.project_id);
    const seed = `${simulation.id} ${simulation.gradings}`;
    let grades: NewGrade[];
    try {
      const evidence = evidenceOfSimulation(simulation, run, transcript, scenario);
      grades = await grade({ evidence, behaviors, graders, seed, signal });
    } catch (error) {
      log.error({ err: error, simulation: simulation.id }, "a simulation could not be graded; its verdict is errored");
      return { verdict: "errored", behaviorsGraded: 0, grades: [] };
    }
    const counting: Verdict[] = grades.filter(({ counts }) => counts).map(({ verdict }) => verdict);
    return {
      verdict: verdictOf(ending === undefined ? counting : [...counting, ending]),
      behaviorsGraded: behaviorsGraded(graders, grades),
      grades,
    };
  }
}

const aboutOf = (simulation: SimulationRow, agentName: string) => ({
  id: simulation.id,
  runId: simulation.run_id,
  attempt: simulation.attempt,
  agentName,
  testName: simulation.test_name,
  personaName: simulation.persona_name,
  endingReason: simulation.ending_reason!,
});

/** Of all that looked at the expected behaviors, the one that decided most. */
function behaviorsGraded(graders: readonly PinnedGrader[], grades: readonly NewGrade[]): number {
  const ofBehaviors = graders.filter(({ definition }) => definition.kind === "expected_behaviors");
  const counts = ofBehaviors.map(
    ({ id }) => grades.filter((grade) => grade.graderVersionId === id && grade.verdict !== "not_graded").length,
  );
  return Math.max(0, ...counts);
}

function evidenceOfSimulation(
  simulation: SimulationRow,
  run: RunRow,
  transcript: Transcript,
  scenario: string,
): Evidence {
  const reason = simulation.ending_reason!;
  const { connectionType, config }: ConnectionSnapshot = JSON.parse(run.connection);
  const conversation = conversationOf(spansOf(aboutOf(simulation, ""), transcript, false));
  return evidenceOf(conversation, measuresOf(conversation), {
    ending: { reason, by: ENDING_REASONS[reason].by },
    complete: true,
    toolsVisible: !(connectionType === "http_chat" && config.format === "openai"),
    modality: "text",
    mockedTools: new Set(transcript.toolUses.filter(({ mocked }) => mocked).map(({ name }) => name)),
    scenario,
    persona: simulation.persona_name,
    date: new Date(transcript.startedMs).toISOString().slice(0, 10),
  });
}

import { findAgent } from "../../agents/store/find-agent.ts";
import { type DecidingWords, decidingWordsOf } from "../../grading/graders/deciding-words.ts";
import type { FailedConversation } from "../../grading/graders/failed-conversation.ts";
import { isFailed } from "../../grading/graders/grader.ts";
import type { Db } from "../../stores/relational.ts";
import { conversationOf } from "../../traces/conversation/conversation.ts";
import type { Transcript } from "../play/transcript.ts";
import { verdictOfEnding } from "../rules.ts";
import { isSameGrading } from "../store/grading.ts";
import type { RunStore } from "../store/runs.ts";
import { spansOf } from "./spans.ts";

/** Reads what failed in a simulation. Returns null when the simulation did not fail or when its conversation is erased. */
export type ReadFailedSimulation = (projectId: string, id: string) => Promise<FailedConversation | null>;

export const createReadFailedSimulation =
  (db: Db, store: Pick<RunStore, "findSimulation" | "readSimulation" | "readRun" | "gradesOf">): ReadFailedSimulation =>
  async (projectId, id) => {
    if ((await store.findSimulation(projectId, id)) === undefined) return null;
    const simulation = await store.readSimulation(id);
    if (simulation.verdict !== "failed" || simulation.texts_erased === 1) return null;
    const run = await store.readRun(simulation.run_id);
    const grades = (await store.gradesOf([simulation])).get(id) ?? [];
    const transcript = simulation.transcript === null ? null : (JSON.parse(simulation.transcript) as Transcript);
    const spans = transcript === null ? [] : Object.values(spansOf(simulation, "", transcript)).flat();
    const reason = simulation.ending_reason;
    return {
      source: "simulation",
      name: id,
      names: [id],
      traceId: simulation.trace_id,
      runId: run.id,
      agentName: (await findAgent(db, projectId, run.agent_id)).name,
      agentVersion: null,
      startedAt: simulation.started_at ?? simulation.created_at,
      decidedAt: simulation.ended_at ?? simulation.created_at,
      grades: grades.filter(isFailed),
      ending: reason !== null && verdictOfEnding(reason) === "failed" ? reason : null,
      isVetoed: simulation.veto_reason !== null,
      conversation: conversationOf(spans),
      isUnchanged: (tx) => isSameGrading(tx, simulation),
    };
  };

/**
 * Returns a function that reads the words that decided a simulation's failure, those about `turn` if a grade decided there. They are null
 * when they are unknown or erased.
 */
export const createReadDecidingWords =
  (readFailed: ReadFailedSimulation) =>
  async (projectId: string, id: string, turn: number | null): Promise<DecidingWords | null> => {
    const failed = await readFailed(projectId, id);
    return failed && decidingWordsOf(failed, turn);
  };

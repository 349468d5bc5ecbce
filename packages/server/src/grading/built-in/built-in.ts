import { notGraded, type ScoredDecision } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { missedFinalTurn, unansweredTurns } from "./answers.ts";
import { claimedWithoutCall } from "./claimed-without-call.ts";
import { repeatedSentence } from "./repeated-sentence.ts";
import { responseLatency } from "./response-latency.ts";
import { duplicateToolCall, unhandledToolError } from "./tools.ts";
import { turnTaking } from "./turn-taking.ts";

type BuiltInGrader = {
  label: string;
  meaning: string;
  grade(evidence: Evidence): ScoredDecision;
};

/**
 * Graders that need neither a language model nor an expected behavior. If the subject of a grader does not occur in a conversation, such as
 * a tool call, the grader returns `not_graded`, never `passed`.
 */
export const BUILT_IN = {
  unanswered_turns: {
    label: "Unanswered turns",
    meaning: "Fails when the agent leaves a turn of the caller unanswered and the caller speaks again.",
    grade: unansweredTurns,
  },
  missed_final_turn: {
    label: "Missed final turn",
    meaning: "Fails when the caller's last turn has no answer and it was not the caller who ended the call.",
    grade: missedFinalTurn,
  },
  duplicate_tool_call: {
    label: "Duplicate tool call",
    meaning: "Fails when a tool that succeeded is called again with the same arguments before the caller speaks.",
    grade: duplicateToolCall,
  },
  unhandled_tool_error: {
    label: "Unhandled tool error",
    meaning: "Fails when a tool fails and the agent claims that it was done, or says nothing.",
    grade: unhandledToolError,
  },
  repeated_sentence: {
    label: "Repeated sentence",
    meaning: "Fails when the agent repeats itself and the caller did not ask it to.",
    grade: repeatedSentence,
  },
  claimed_without_tool_call: {
    label: "Claimed an action without a tool call",
    meaning: "Fails when the agent says that something is done and no tool that could have done it succeeded.",
    grade: claimedWithoutCall,
  },
  response_latency: {
    label: "Response latency",
    meaning: "Fails when more than one answer in twenty takes longer than 3 s.",
    grade: responseLatency,
  },
  turn_taking: {
    label: "Turn taking",
    meaning: "Scores how well the agent waits, answers in time, and yields when it is interrupted.",
    grade: turnTaking,
  },
} as const satisfies Record<string, BuiltInGrader>;

export type BuiltInName = keyof typeof BUILT_IN;

export function gradeBuiltIn(name: BuiltInName, evidence: Evidence): ScoredDecision {
  if (evidence.turns.length === 0) return notGraded("The conversation has no turns.");
  return BUILT_IN[name].grade(evidence);
}

import type { Answer, Operations } from "@svc/sdk";

export type ConnectionTry = Answer<Operations["connections"]["try"]>;
type Step = ConnectionTry["steps"][number];
type ToolCall = ConnectionTry["toolCalls"][number];

const LABELS: Record<Step["step"], string> = {
  prepare: "Prepare",
  connect: "Connect",
  greeting: "Greeting",
  answer: "Answer",
  hang_up: "Hang up",
};

/** Returns the name of a step for people. */
export const stepLabel = ({ step }: Step): string => LABELS[step];

/** Returns the outcome of a step with its duration. */
export function stepText({ result, durationMs, message }: Step): string {
  const duration = durationMs === null ? "" : `, ${durationMs} ms`;
  if (result === "done") return `Done${duration}`;
  return result === "failed" ? `Failed${duration}` : (message ?? "Skipped");
}

/** Returns the answer that the agent got from a tool. */
export const toolText = ({ mocked, error }: ToolCall): string => error ?? (mocked ? "Mocked" : "Answered");

/** Returns a sentence about the agent's sound. */
export function soundSentence({
  firstSoundMs,
  agentSpeechMs,
  isTimingReliable,
}: NonNullable<ConnectionTry["sound"]>): string {
  if (firstSoundMs === null) return "No speech of the agent was heard.";
  const doubt = isTimingReliable ? "" : " The service was busy, so these times are not reliable.";
  return `Heard ${agentSpeechMs} ms of speech, the first after ${firstSoundMs} ms.${doubt}`;
}

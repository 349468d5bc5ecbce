import type { Trace } from "@svc/contract";
import { samplesByTurn, spokenAnswerTimes } from "./answers.ts";

/** Returns the turn that a timeline shows at first: the slowest answer, else the first turn with a failed tool call, else the first. */
export function defaultTurn(trace: Trace): number | undefined {
  const answers = [...spokenAnswerTimes(trace), ...samplesByTurn(trace, "text_response_time")];
  const slowest = answers.toSorted(([, a], [, b]) => b.value - a.value)[0]?.[0];
  const failed = trace.toolCalls.find(({ isError, turnIndex }) => isError === true && turnIndex !== null)?.turnIndex;
  return slowest ?? failed ?? trace.turns[0]?.index;
}

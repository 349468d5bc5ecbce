import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, flagOf, textOf } from "../attribute-values.ts";
import type { ToolCallDraft, TurnDraft } from "../vocabulary.ts";
import { KEY, SPAN } from "./names.ts";

/**
 * Returns the tool calls in the order of the transcript, which does not state their durations. A call belongs to the
 * agent's latest turn since the user last spoke, else to the agent's next turn.
 */
export function toolCalls(inOrder: readonly StoredSpan[], turnOf: Map<StoredSpan, TurnDraft>): ToolCallDraft[] {
  const calls: ToolCallDraft[] = [];
  let waiting: ToolCallDraft[] = [];
  let agent: TurnDraft | null = null;
  for (const span of inOrder) {
    const turn = turnOf.get(span);
    if (turn?.role === "user") {
      agent = null;
      waiting = [];
    } else if (turn?.role === "agent") {
      agent = turn;
      for (const call of waiting.splice(0)) call.turn = turn;
    } else if (span.name === SPAN.toolCall) {
      const call = toolCall(span, agent);
      calls.push(call);
      if (agent === null) waiting.push(call);
    }
  }
  return calls;
}

function toolCall({ attributes, startNs, spanId }: StoredSpan, turn: TurnDraft | null): ToolCallDraft {
  const resultTime = textOf(attributes[KEY.resultTime]) ?? "";
  const successful = flagOf(attributes[KEY.successful]);
  return {
    id: textOf(attributes[KEY.toolCallId]),
    name: textOf(attributes[KEY.toolName]),
    arguments: contentOf(attributes[KEY.arguments]),
    result: contentOf(attributes[KEY.result]),
    isError: successful === null ? null : !successful,
    startNs,
    endNs: null,
    ...(/^\d{1,19}$/.test(resultTime) && { resultNs: BigInt(resultTime) }),
    turn,
    spanId,
  };
}

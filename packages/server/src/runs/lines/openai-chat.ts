import { LIMITS } from "@svc/contract";
import { z } from "zod";
import { askAgent } from "./ask-agent.ts";
import { type ChatEndpoint, notUnderstood, spoken } from "./chat-endpoint.ts";
import {
  agentText,
  type AgentLine,
  type AgentTurn,
  LineFailure,
  parsedJson,
  type ToolUse,
  type UseTool,
} from "./line.ts";

const TOOL_ROUNDS_MAX = 8;

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: agentText.nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().max(200),
                function: z.object({ name: z.string().min(1).max(200), arguments: z.string() }),
              }),
            )
            .max(LIMITS.toolCallsPerTurn)
            .nullish(),
        }),
      }),
    )
    .min(1),
});

/** Each request contains the whole conversation. */
export function openAiChat(endpoint: ChatEndpoint, model: string | undefined, useTool: UseTool): AgentLine {
  const messages: unknown[] = [];
  let first = true;

  async function answer(signal: AbortSignal): Promise<AgentTurn> {
    const toolUses: ToolUse[] = [];
    for (let round = 0; round <= TOOL_ROUNDS_MAX; round++) {
      const json = { messages, ...(model !== undefined && { model }) };
      const answered = await askAgent({ ...endpoint, method: "POST", json }, { first, signal });
      const received = Completion.safeParse(answered);
      first = false;
      if (!received.success) throw notUnderstood("a chat completion (`choices[0].message`)", answered, endpoint);
      const { content, tool_calls } = received.data.choices[0]!.message;
      messages.push({
        role: "assistant",
        content: content ?? null,
        ...(tool_calls?.length && { tool_calls: tool_calls.map(withType) }),
      });
      if (!tool_calls?.length) return { messages: spoken([content]), toolUses, ended: false, transferred: false };
      for (const call of tool_calls) {
        const use = await useTool(
          { id: call.id, name: call.function.name, arguments: parsedJson(call.function.arguments) },
          signal,
        );
        toolUses.push(use);
        messages.push({
          role: "tool",
          tool_call_id: call.id,
          content: JSON.stringify(use.error === null ? (use.result ?? null) : { error: use.error }),
        });
      }
    }
    throw new LineFailure(
      "agent_error",
      `The agent called tools ${TOOL_ROUNDS_MAX + 1} times in a row without saying anything.`,
    );
  }

  return {
    open: async () => null,
    say(text, signal) {
      messages.push({ role: "user", content: text });
      return answer(signal);
    },
    close: async () => {},
  };
}

/** Adds the `type` of a tool call, because strict endpoints require it when a request repeats the call. */
const withType = (call: { id: string; function: object }) => ({ ...call, type: "function" });

import { LIMITS } from "@svc/contract";
import { z } from "zod";
import { askAgent } from "./ask-agent.ts";
import {
  agentText,
  type AgentLine,
  type AgentTurn,
  LineFailure,
  parsedJson,
  TOOL_ROUNDS_MAX,
  type ToolUse,
  type UseTool,
} from "./line.ts";

const CLOSE_TIMEOUT_MS = 2_000;

type HttpChat = {
  url: URL;
  model: string | undefined;
  apiKey: string | undefined;
  useTool: UseTool;
};

/** What an agent may call back with `POST /v1/simulations/{id}/tools/{tool}`. */
type ToolCallback = { names: string[]; url: string; token: string };

const OpenAiAnswer = z.object({
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

/** An agent behind an OpenAI-compatible chat endpoint: it is sent the whole conversation each time. */
export function openAiChat({ url, model, apiKey, useTool }: HttpChat): AgentLine {
  const messages: unknown[] = [];
  let first = true;

  async function answer(signal: AbortSignal): Promise<AgentTurn> {
    const toolUses: ToolUse[] = [];
    for (let round = 0; round <= TOOL_ROUNDS_MAX; round++) {
      const json = { messages, ...(model !== undefined && { model }) };
      const received = OpenAiAnswer.safeParse(
        await askAgent({ method: "POST", url, headers: bearer(apiKey), json }, { first, signal }),
      );
      first = false;
      if (!received.success) throw notUnderstood("a chat completion (`choices[0].message`)");
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
    say(said, signal) {
      messages.push({ role: "user", content: said });
      return answer(signal);
    },
    close: async () => {},
  };
}

const SvcAnswer = z
  .object({
    message: agentText.nullish(),
    messages: z.array(agentText).max(LIMITS.messagesPerTurn).nullish(),
    ended: z.boolean().nullish(),
    transferred: z.boolean().nullish(),
  })
  .loose();

/** An agent that speaks our own small format: one message each time, with the tools that are mocked for it. */
export function svcChat(
  { url, apiKey }: HttpChat,
  { simulationId, tools, takeToolUses }: { simulationId: string; tools: ToolCallback; takeToolUses: () => ToolUse[] },
): AgentLine {
  let turn = 0;
  async function ask(body: object, signal: AbortSignal): Promise<AgentTurn> {
    const json = { simulationId, turn, ...body, tools };
    const received = SvcAnswer.safeParse(
      (await askAgent({ method: "POST", url, headers: bearer(apiKey), json }, { first: turn === 0, signal })) ?? {},
    );
    turn++;
    if (!received.success) throw notUnderstood("an object with `message` or `messages`");
    const { message, messages, ended, transferred } = received.data;
    return {
      messages: spoken([message, ...(messages ?? [])]),
      toolUses: takeToolUses(),
      ended: ended === true,
      transferred: transferred === true,
    };
  }
  return {
    open: async (signal) => {
      const turn = await ask({ event: "start" }, signal);
      return turn.messages.length === 0 && !turn.ended ? null : turn;
    },
    say: (message, signal) => ask({ event: "message", message }, signal),
    async close() {
      await ask({ event: "end" }, AbortSignal.timeout(CLOSE_TIMEOUT_MS)).catch(() => {});
    },
  };
}

/** Strict endpoints want back all that they sent. */
const withType = (call: { id: string; function: object }) => ({ ...call, type: "function" });

const bearer = (apiKey: string | undefined): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

const spoken = (messages: (string | null | undefined)[]): string[] =>
  messages.filter((message) => message?.trim()).slice(0, LIMITS.messagesPerTurn) as string[];

const notUnderstood = (wanted: string) =>
  new LineFailure("agent_error", `The agent's endpoint answered with JSON that is not ${wanted}.`);

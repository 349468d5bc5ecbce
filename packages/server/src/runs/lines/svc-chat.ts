import { LIMITS } from "@svc/contract";
import { z } from "zod";
import type { ToolCallback } from "./tool-callbacks.ts";
import { askAgent } from "./ask-agent.ts";
import { type ChatEndpoint, notUnderstood, spoken } from "./chat-endpoint.ts";
import { agentText, type AgentLine, type AgentTurn } from "./line.ts";

const CLOSE_TIMEOUT_MS = 2_000;

/** Each request lists the mocked tools, which the agent calls with `POST /v1/simulations/{id}/tools/{tool}`. */
type SvcConversation = {
  simulationId: string;
  tools: { names: string[]; url: string; token: string };
  callback: ToolCallback;
};

const SvcAnswer = z
  .object({
    message: agentText.nullish(),
    messages: z.array(agentText).max(LIMITS.messagesPerTurn).nullish(),
    ended: z.boolean().nullish(),
    transferred: z.boolean().nullish(),
  })
  .loose();

/** Each request contains only the caller's new message. */
export function svcChat(endpoint: ChatEndpoint, { simulationId, tools, callback }: SvcConversation): AgentLine {
  let turn = 0;

  async function ask(body: object, signal: AbortSignal): Promise<AgentTurn> {
    const json = { simulationId, turn, ...body, tools };
    const answered = (await askAgent({ ...endpoint, method: "POST", json }, { first: turn === 0, signal })) ?? {};
    const received = SvcAnswer.safeParse(answered);
    turn++;
    if (!received.success) throw notUnderstood("an object with `message` or `messages`", answered, endpoint);
    const { message, messages, ended, transferred } = received.data;
    return {
      messages: spoken([message, ...(messages ?? [])]),
      toolUses: callback.take(),
      ended: ended === true,
      transferred: transferred === true,
    };
  }

  return {
    callsToolsBack: true,

    async open(signal) {
      const greeting = await ask({ event: "start" }, signal);
      return greeting.messages.length === 0 && !greeting.ended ? null : greeting;
    },
    say: (message, signal) => ask({ event: "message", message }, signal),
    async close() {
      await ask({ event: "end" }, AbortSignal.timeout(CLOSE_TIMEOUT_MS)).catch(() => {});
      callback.end();
    },
  };
}

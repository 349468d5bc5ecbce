import { z } from "zod";
import { askAgent } from "./ask-agent.ts";
import { agentText, type AgentLine, type AgentTurn, LineFailure, parsedJson, type ToolUse } from "./line.ts";
import type { LineType } from "./line-type.ts";

type PlatformAChat = { baseUrl: string; apiKey: string; agentId: string };

/** Chat API of platform_a. The platform runs the agent and its tools. */
export const platformAChatApi: LineType = {
  createLine: async ({ platformABaseUrl, apiKey, connection }) =>
    platformAChat({
      baseUrl: platformABaseUrl,
      apiKey: await apiKey(),
      agentId: connection.config.platformAAgentId!,
    }),
  toolsVisible: () => true,
  sendsOwnSpans: false,
  carriesSound: false,
};

const Chat = z.object({ chat_id: z.string().min(1).max(200) });
const Message = z.union([
  z.object({ role: z.literal("agent"), content: agentText }),
  z.object({
    role: z.literal("tool_call_invocation"),
    tool_call_id: z.string().max(200),
    name: z.string().min(1).max(200),
    arguments: z.string().nullish(),
  }),
  z.object({
    role: z.literal("tool_call_result"),
    tool_call_id: z.string().max(200),
    content: agentText.nullish(),
    successful: z.boolean().nullish(),
  }),
  z.object({ role: z.string() }).loose(),
]);
const Completion = z.object({ messages: z.array(Message).max(200) });
const ENDING_TOOLS = new Set(["end_call", "end_chat"]);
const TRANSFER_TOOLS = /^(?:transfer_call|agent_swap|bridge_transfer)/;
const CLOSE_TIMEOUT_MS = 5_000;

function platformAChat({ baseUrl, apiKey, agentId }: PlatformAChat): AgentLine {
  const endpoint = { headers: { authorization: `Bearer ${apiKey}` }, privateAddresses: "allow" } as const;
  const at = (path: string) => new URL(path, `${baseUrl}/`);
  let chatId: string | undefined;

  async function start(signal: AbortSignal): Promise<string> {
    const json = { agent_id: agentId };
    const made = await askAgent(
      { method: "POST", url: at("create-chat"), ...endpoint, json, once: true },
      { first: true, signal },
    ).catch((error: unknown) => {
      throw isOfAgent(error) ? notOpened(error.message) : error;
    });
    const chat = Chat.safeParse(made);
    if (!chat.success) throw notOpened("It answered with something that is not a chat.");
    return chat.data.chat_id;
  }

  return {
    async open(signal) {
      chatId = await start(signal);
      return null;
    },

    async say(content, signal) {
      const startedMs = Date.now();
      const json = { chat_id: chatId, content };
      const answer = await askAgent(
        { method: "POST", url: at("create-chat-completion"), ...endpoint, json },
        { first: false, signal },
      );
      const completion = Completion.safeParse(answer);
      if (!completion.success) {
        throw new LineFailure("agent_error", "The platform answered with something that is not a chat completion.");
      }
      return turnOf(completion.data.messages as PlatformMessage[], startedMs, Date.now());
    },

    async close() {
      if (chatId === undefined) return;
      const url = at(`end-chat/${encodeURIComponent(chatId)}`);
      const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
      await askAgent({ method: "PATCH", url, ...endpoint }, { first: false, signal }).catch(() => {});
    },
  };
}

const isOfAgent = (error: unknown): error is LineFailure =>
  error instanceof LineFailure && (error.reason === "agent_error" || error.reason === "agent_never_joined");

/** The agent is not the cause, because the platform did not start an agent. */
const notOpened = (why: string) =>
  new LineFailure("connection_refused", `The platform opened no chat; check the connection's platformAAgentId. ${why}`);

type PlatformMessage = {
  role: string;
  content?: string | null;
  tool_call_id?: string;
  name?: string;
  arguments?: string | null;
  successful?: boolean | null;
};

function turnOf(messages: readonly PlatformMessage[], startedMs: number, endedMs: number): AgentTurn {
  const results = new Map(
    messages.filter(({ role }) => role === "tool_call_result").map((message) => [message.tool_call_id, message]),
  );
  const calls = messages.filter(({ role }) => role === "tool_call_invocation");
  // The platform reports no times. The times of a tool call are estimated from the positions of the call and its result.
  const timeAt = (message: PlatformMessage | undefined) => {
    const at = message === undefined ? messages.length : messages.indexOf(message);
    return Math.floor(startedMs + ((endedMs - startedMs) * at) / Math.max(1, messages.length)) + at;
  };
  const toolUses: ToolUse[] = calls.map((call) => {
    const result = results.get(call.tool_call_id);
    const failed = result?.successful === false;
    return {
      id: call.tool_call_id!,
      name: call.name!,
      arguments: jsonOrNull(call.arguments),
      result: failed ? null : jsonOrNull(result?.content),
      error: failed ? (result.content ?? "The tool failed.") : null,
      mocked: false,
      startedMs: timeAt(call),
      endedMs: timeAt(result),
    };
  });
  return {
    messages: messages
      .filter(({ role, content }) => role === "agent" && content?.trim())
      .map(({ content }) => content!),
    toolUses,
    ended: calls.some(({ name }) => ENDING_TOOLS.has(name!)),
    transferred: calls.some(({ name }) => TRANSFER_TOOLS.test(name!)),
  };
}

const jsonOrNull = (json: string | null | undefined): unknown => (json == null ? null : parsedJson(json));

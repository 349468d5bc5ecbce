import { z } from "zod";
import { askAgent } from "./ask-agent.ts";
import { agentText, type AgentLine, type AgentTurn, LineFailure, parsedJson, type ToolUse } from "./line.ts";
import type { LineType } from "./line-type.ts";
import { asPlatformA, beginOnPlatformA, notBegun } from "./platform-a.ts";

/** Chat API of platform_a. The platform runs the agent and its tools. */
export const platformAChatApi: LineType = {
  createLine: async (context) => platformAChat({ ...context, apiKey: await context.apiKey() }),
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

function platformAChat(context: Parameters<typeof beginOnPlatformA>[0]): AgentLine {
  const endpoint = asPlatformA(context.apiKey);
  const at = (path: string) => new URL(path, `${context.platformABaseUrl}/`);
  let chatId: string | undefined;

  return {
    async open(signal) {
      const chat = Chat.safeParse(await beginOnPlatformA(context, { path: "create-chat", what: "chat" }, signal));
      if (!chat.success) throw notBegun("chat", "It answered with something that is not a chat.");
      chatId = chat.data.chat_id;
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

import type { Wire, WireCall } from "./calls.ts";

export type WireAgent = Wire & { agent_id: string; agent_name: string; channel: "voice" | "chat"; version: number };
export type WireChat = Wire & { chat_id: string; chat_status: string; message_with_tool_calls: Wire[] };

/** What the platform holds. */
export type PlatformState = {
  agents: WireAgent[];
  calls: Map<string, WireCall>;
  /** Reads of a call that still get it without a transcript. */
  held: Map<string, number>;
  chats: WireChat[];
  /** What a chat agent says next. */
  reply: (said: string) => Wire[];
};

export const newState = (): PlatformState => ({
  agents: [],
  calls: new Map(),
  held: new Map(),
  chats: [],
  reply: (said) => [{ role: "agent", content: `You said: ${said}` }],
});

/** An agent as the platform tells it, of its first version unless another is named. */
export const anAgent = (id: string, name: string, channel: "voice" | "chat" = "voice", version = 0): WireAgent => ({
  agent_id: id,
  agent_name: name,
  channel,
  version,
  is_published: true,
  response_engine: { type: "retell-llm", llm_id: "llm_fake", version: 0 },
  ...(channel === "voice" && { voice_id: "11labs-Adrian", language: "en-US" }),
  last_modification_timestamp: 1_795_251_153_000,
});

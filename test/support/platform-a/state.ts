import type { Wire, WireCall } from "./calls.ts";

export type WireAgent = Wire & { agent_id: string; agent_name: string; channel: "voice" | "chat"; version: number };
type WireChat = Wire & { chat_id: string; chat_status: string; message_with_tool_calls: Wire[] };

/** The data of the fake platform. */
export type PlatformState = {
  agents: WireAgent[];
  calls: Map<string, WireCall>;
  /** For each call id: in how many further reads the call has no transcript. */
  held: Map<string, number>;
  chats: WireChat[];
  /** Members of the next web calls, in place of the usual ones. */
  webCall: Wire;
  /** Returns the messages with which a chat agent answers a text. */
  reply: (said: string) => Wire[];
};

export const newState = (): PlatformState => ({
  agents: [],
  calls: new Map(),
  held: new Map(),
  chats: [],
  webCall: {},
  reply: (said) => [{ role: "agent", content: `You said: ${said}` }],
});

/** Returns an agent as the platform shows it; its version is the first unless another is given. */
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

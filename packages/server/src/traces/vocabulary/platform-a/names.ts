export const SCOPE = "svc.platform_a";

/** Service name in the spans of imported calls, which distinguishes these spans from the spans that agents send. */
export const SERVICE = "platform_a";

export const SPAN = {
  call: "call",
  userTurn: "user_turn",
  agentTurn: "agent_turn",
  /** Words of a person to whom the agent transferred the call. */
  thirdPartyTurn: "third_party_turn",
  toolCall: "tool_call",
  /** Any other item of the transcript: a change of node, a digit, a message. */
  item: "transcript_item",
  latency: "call_latency",
  tokens: "call_tokens",
  cost: "call_cost",
  analysis: "call_analysis",
  record: "call_record",
} as const;

export const KEY = {
  callId: "platform_a.call_id",
  agentId: "platform_a.agent_id",
  agentVersion: "platform_a.agent_version",
  status: "platform_a.call_status",
  reason: "platform_a.disconnection_reason",
  contentWithheld: "platform_a.content_withheld",
  leftOut: "platform_a.transcript_left_out",
  /** True on a span from which the text, the arguments or the result was removed because it contained a credential. */
  credentialRemoved: "platform_a.credential_removed",
  index: "platform_a.index",
  role: "platform_a.role",
  content: "platform_a.content",
  /** JSON: a list of [word, start, end], in seconds from the start of the call's audio. */
  words: "platform_a.words",
  /** The value `order` means that the span's position is known, but not its times. */
  timing: "platform_a.timing",
  toolCallId: "platform_a.tool_call_id",
  toolName: "platform_a.tool_name",
  arguments: "platform_a.arguments",
  result: "platform_a.result",
  successful: "platform_a.successful",
  /** The position of the tool call's result in the transcript, as a time in nanoseconds. */
  resultTime: "platform_a.result_time",
  item: "platform_a.item",
  tokens: "platform_a.tokens",
} as const;

/** Prefixes of keys. The rest of a key is the platform's own name for the value. */
export const PREFIX = {
  latency: "platform_a.latency.",
  latencySummary: "platform_a.latency_summary.",
  cost: "platform_a.cost.",
  analysis: "platform_a.analysis.",
  record: "platform_a.record.",
} as const;

export const ORDER_ONLY = "order";

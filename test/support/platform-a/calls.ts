import { seeded } from "./random.ts";

/** A call or another record of the platform, in the JSON of the platform's API. */
export type Wire = Record<string, unknown>;
export type WireCall = Wire & { call_id: string; agent_id: string; call_status: string; start_timestamp: number };

type Word = { word: string; start: number; end: number };
type Line = [role: "agent" | "user" | "tool", content: string, result?: string];

const OPENINGS: Line[] = [
  ["agent", "Hello, this is the Riverside clinic. How can I help you?"],
  ["agent", "Good morning, Grand Hotel, reception. What can I do for you?"],
];

const EXCHANGES: Line[][] = [
  [
    ["user", "I would like to book an appointment for next Tuesday."],
    ["tool", '{"day":"Tuesday"}', '{"free":["09:30","14:00"]}'],
    ["agent", "On Tuesday I have half past nine or two o'clock."],
  ],
  [
    ["user", "Do you take my insurance?"],
    ["agent", "We take all public insurances, and most of the private ones."],
  ],
  [
    ["user", "Half past nine, please."],
    ["tool", '{"day":"Tuesday","time":"09:30"}', '{"booked":true,"reference":"R-2231"}'],
    ["agent", "You are booked for half past nine. Your reference is R 2231."],
  ],
  [
    ["user", "Sorry, could you say that again?"],
    ["agent", "Of course. Your appointment is on Tuesday at half past nine."],
  ],
  [
    ["user", "Where can I park?"],
    ["tool", '{"topic":"parking"}', "The knowledge base did not answer."],
    ["agent", "I am sorry, I cannot tell you where to park."],
  ],
];

const CLOSING: Line[] = [
  ["user", "Thank you, goodbye."],
  ["agent", "Goodbye, and have a nice day."],
];

const TOOLS: Record<string, string> = { day: "find_slots", time: "book_slot", topic: "ask_knowledge_base" };
const REASONS = ["user_hangup", "agent_hangup", "inactivity", "call_transfer", "max_duration_reached", "error_asr"];
const SENTIMENTS = ["Positive", "Neutral", "Negative", "Unknown"];

export type CallWishes = {
  /** The same seed and the same options give the same call. */
  seed: number;
  agentId: string;
  agentName?: string;
  startMs: number;
  /** Number of questions with answers, between greeting and goodbye. */
  exchanges?: number;
  /** Members that replace the generated ones; `undefined` removes one. */
  members?: Wire;
};

/** Returns an ended call with transcript, word times, tool calls, latencies, tokens, cost and analysis. */
export function aCall({
  seed,
  agentId,
  agentName = "Front desk",
  startMs,
  exchanges = 3,
  members = {},
}: CallWishes): WireCall {
  const random = seeded(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const between = (low: number, high: number) => Math.round((low + random() * (high - low)) * 1000) / 1000;
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");

  const call_id = `call_${hex(24)}`;
  const lines = [pick(OPENINGS), ...Array.from({ length: exchanges }, () => pick(EXCHANGES)).flat(), ...CLOSING];
  const said: Wire[] = [];
  const latency: Record<string, number[]> = { e2e: [], llm: [], tts: [], asr: [] };
  let at = 0.4;
  for (const [role, content, result] of lines) {
    if (role === "tool") {
      const tool_call_id = `tool_${hex(8)}`;
      const name = TOOLS[Object.keys(JSON.parse(content) as object).at(-1)!]!;
      said.push({ role: "tool_call_invocation", tool_call_id, name, arguments: content });
      said.push({ role: "tool_call_result", tool_call_id, content: result, successful: result!.startsWith("{") });
      continue;
    }
    if (role === "agent" && said.length > 0) {
      const [llm, tts] = [between(250, 900), between(120, 300)];
      latency.llm!.push(llm);
      latency.tts!.push(tts);
      latency.e2e!.push(Math.round((llm + tts + between(100, 400)) * 1000) / 1000);
      at += latency.e2e!.at(-1)! / 1000;
    } else at += between(0.2, 1.5);
    if (role === "user") latency.asr!.push(between(30, 120));
    const words: Word[] = content.split(" ").map((word) => {
      const start = Math.round(at * 1000) / 1000;
      at += between(0.15, 0.45);
      return { word, start, end: Math.round(at * 1000) / 1000 };
    });
    said.push({ role, content, words });
  }

  const duration_ms = Math.round(at * 1000) + 500;
  const spoken = said.filter(({ role }) => role === "agent" || role === "user");
  const inbound = random() < 0.5;
  const cost = between(2, 30);
  return {
    call_id,
    agent_id: agentId,
    agent_version: 1,
    agent_name: agentName,
    call_status: "ended",
    ...(random() < 0.5
      ? { call_type: "web_call", access_token: `eyJ${hex(20)}.${hex(40)}.${hex(43)}` }
      : {
          call_type: "phone_call",
          from_number: "+14155550100",
          to_number: "+14155550199",
          direction: inbound ? "inbound" : "outbound",
          telephony_identifier: { twilio_call_sid: `CA${hex(32)}` },
        }),
    metadata: { customer: `customer-${hex(4)}`, crm_api_key: `sk-${hex(40)}` },
    retell_llm_dynamic_variables: { first_name: "Ana", portal_password: `pw-${hex(12)}` },
    collected_dynamic_variables: {},
    start_timestamp: startMs,
    end_timestamp: startMs + duration_ms,
    duration_ms,
    disconnection_reason: pick(REASONS),
    data_storage_setting: "everything",
    opt_in_signed_url: true,
    transcript: spoken.map(({ role, content }) => `${role === "agent" ? "Agent" : "User"}: ${content}\n`).join(""),
    transcript_object: spoken,
    transcript_with_tool_calls: said,
    recording_url: `https://recordings.platform.test/${call_id}/recording.wav?X-Amz-Signature=${hex(64)}`,
    public_log_url: `https://recordings.platform.test/${call_id}/public.log?X-Amz-Signature=${hex(64)}`,
    latency: Object.fromEntries(Object.entries(latency).map(([of, values]) => [of, distribution(values)])),
    llm_token_usage: {
      values: latency.llm!.map(() => Math.round(between(600, 2400))),
      average: 1500,
      num_requests: latency.llm!.length,
    },
    call_cost: {
      product_costs: [{ product: "elevenlabs_tts", unit_price: 0.1166667, cost }],
      total_duration_seconds: Math.ceil(duration_ms / 1000),
      total_duration_unit_price: 0.2,
      combined_cost: Math.round((cost + 1.5) * 100) / 100,
    },
    call_analysis: {
      call_summary: "The caller asked for an appointment and was given one.",
      in_voicemail: false,
      user_sentiment: pick(SENTIMENTS),
      call_successful: random() < 0.8,
      custom_analysis_data: { wants_callback: false },
    },
    ...members,
  };
}

function distribution(values: readonly number[]): Wire {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (p: number) => sorted[Math.max(0, Math.ceil((sorted.length * p) / 100) - 1)];
  return {
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    min: sorted[0],
    max: sorted.at(-1),
    num: values.length,
    values,
  };
}

/** Returns the call while it is ongoing. */
export function ongoing(call: WireCall): WireCall {
  const { call_id, agent_id, agent_version, agent_name, call_type, access_token, start_timestamp } = call;
  return {
    call_id,
    agent_id,
    agent_version,
    agent_name,
    call_type,
    access_token,
    start_timestamp,
    call_status: "ongoing",
  };
}

/** Returns the call just after its end: without a transcript and everything that derives from it. */
export function withoutTranscript(call: WireCall): WireCall {
  const { transcript, transcript_object, transcript_with_tool_calls, call_analysis, latency, call_cost, ...rest } =
    call;
  return rest as WireCall;
}

/** Returns the call as the platform shows it to an account that stores no content. */
export function withheld(call: WireCall): WireCall {
  const { recording_url, public_log_url, metadata, retell_llm_dynamic_variables, ...rest } = withoutTranscript(call);
  const { latency, call_cost } = call;
  return { ...(rest as WireCall), latency, call_cost, data_storage_setting: "basic_attributes_only" };
}

const NOT_LISTED = [
  "transcript",
  "transcript_object",
  "transcript_with_tool_calls",
  "scrubbed_transcript_with_tool_calls",
];

/** Returns the call without the members that the platform's lists leave out. */
export const listed = (call: Wire): Wire =>
  Object.fromEntries(Object.entries(call).filter(([name]) => !NOT_LISTED.includes(name)));

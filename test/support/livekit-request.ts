import { attribute, type OtlpAttribute, type OtlpRequest, type OtlpSpan } from "./otlp.ts";

const WORDS = (
  "the to and you a of I is that it for can your we have with this on be are will not what so my do if me at as or in was but " +
  "about our how like just know would they from there please help appointment schedule tomorrow morning account number " +
  "balance payment refund order delivery address confirm thank okay sure great name email phone calendar doctor insurance " +
  "policy claim agent customer support weather today minutes Tuesday transfer billing invoice cancel issue internet router " +
  "signal restart device settings password reset verify code patience welcome calling question answer café naïve über 日本 résumé"
).split(" ");

const NAMES =
  "agent_turn llm_node llm_request tts_node tts_request user_turn eou_detection agent_speaking user_speaking function_tool".split(
    " ",
  );
const MODELS = ["gpt-4o-mini", "gpt-4.1", "claude-sonnet-4", "gemini-2.0-flash"];

/** Returns a generator of numbers in [0, 1), the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

type Conversation = ReturnType<typeof conversation>;

/** Returns an export as a busy worker sends it: about 1.9 KB per span, with chat contexts, transcripts and metrics. */
export function liveKitRequest(
  seed: number,
  { spans = 512, conversations = 8, startMs = 1_795_251_159_000 } = {},
): OtlpRequest {
  const next = random(seed);
  const all = Array.from({ length: conversations }, () => conversation(next, startMs));
  return {
    resourceSpans: [
      {
        resource: { attributes: RESOURCE.map(([key, value]) => attribute(key, value)) },
        scopeSpans: [
          {
            scope: { name: "livekit-agents", version: "1.2.6" },
            spans: Array.from({ length: spans }, (_, i) => span(next, all[Math.floor((i * conversations) / spans)]!)),
          },
        ],
      },
    ],
  };
}

const RESOURCE: [string, unknown][] = [
  ["service.name", "voice-agent"],
  ["service.version", "1.4.2"],
  ["telemetry.sdk.language", "python"],
  ["telemetry.sdk.name", "opentelemetry"],
  ["telemetry.sdk.version", "1.36.0"],
  ["service.instance.id", "0b6f9a1e-5c2d-4f0e-9c67-8d1f5a2b3c4d"],
  ["deployment.environment.name", "production"],
  ["host.name", "worker-7f9c8b6d5-xk2lp"],
  ["process.pid", 1234n],
];

const hex = (next: () => number, bytes: number) =>
  Array.from({ length: bytes }, () =>
    Math.floor(next() * 256)
      .toString(16)
      .padStart(2, "0"),
  ).join("");

function conversation(next: () => number, startMs: number) {
  return {
    traceId: hex(next, 16),
    room: `room-${hex(next, 6)}`,
    job: `AJ_${hex(next, 6)}`,
    agent: `agent-${Math.floor(next() * 20)}`,
    model: MODELS[Math.floor(next() * 4)]!,
    rootId: hex(next, 8),
    startNs: BigInt(startMs) * 1_000_000n + BigInt(Math.floor(next() * 3.6e12)),
    spans: 0,
  };
}

function span(next: () => number, of: Conversation): OtlpSpan {
  const i = of.spans++;
  const name = i === 0 ? "agent_session" : NAMES[i % NAMES.length]!;
  const startNs = of.startNs + BigInt(i * 180_000_000 + Math.floor(next() * 1e8));
  const endNs = startNs + BigInt(100_000 + Math.floor(next() * next() * 3e9));
  const failed = next() < 0.1;
  return {
    traceId: of.traceId,
    spanId: i === 0 ? of.rootId : hex(next, 8),
    ...(i > 0 && { parentSpanId: of.rootId }),
    name,
    kind: 1 + (i % 3),
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(endNs),
    attributes: [...common(next, of), ...byName(next, of, name)],
    ...(next() < 0.08 && {
      events: [
        {
          timeUnixNano: String(endNs),
          name: "exception",
          attributes: [
            attribute("exception.type", "APITimeoutError"),
            attribute("exception.message", "Request timed out."),
            attribute("exception.stacktrace", talk(next, 900)),
          ],
        },
      ],
    }),
    status: failed ? { code: 2, message: "timed out" } : {},
    flags: 257,
  };
}

function common(next: () => number, of: Conversation): OtlpAttribute[] {
  return [
    attribute("session.id", of.room),
    attribute("lk.job_id", of.job),
    attribute("lk.pii.room_name", of.room),
    attribute("lk.agent_label", `support.${of.agent}`),
    attribute("lk.pii.participant_identity", `caller-${hex(next, 4)}`),
    attribute("lk.participant_kind", "SIP"),
    attribute("lk.speech_id", `speech_${hex(next, 6)}`),
    attribute("lk.generation_id", `gen_${hex(next, 6)}`),
    attribute("lk.start_time", 1.7e9 + next() * 1e6),
    attribute("lk.end_time", 1.7e9 + next() * 1e6),
    attribute("lk.interrupted", next() < 0.1),
    attribute("lk.retry_count", BigInt(Math.floor(next() * 3))),
  ];
}

function byName(next: () => number, of: Conversation, name: string): OtlpAttribute[] {
  if (name.startsWith("llm")) {
    return [
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.provider.name", "openai"),
      attribute("gen_ai.request.model", of.model),
      attribute("gen_ai.usage.input_tokens", BigInt(Math.floor(next() * 4000))),
      attribute("gen_ai.usage.output_tokens", BigInt(Math.floor(next() * 400))),
      attribute("lk.response.ttft", next() * 1.5),
      attribute("lk.provider_request_ids", [`req_${hex(next, 6)}`, `req_${hex(next, 6)}`]),
      attribute("lk.llm_metrics", metrics(next, "llm_metrics")),
      ...(name === "llm_node"
        ? [
            attribute("lk.pii.chat_ctx", chat(next, 2048 + next() * 2048)),
            attribute("lk.function_tools", ["lookup_weather", "transfer_call", "book_slot"]),
            attribute("lk.pii.response.text", talk(next, 150 + next() * 300)),
          ]
        : []),
    ];
  }
  if (name.startsWith("tts")) {
    return [
      attribute("gen_ai.operation.name", "tts"),
      attribute("gen_ai.request.model", "sonic-2"),
      attribute("lk.tts.streaming", true),
      attribute("lk.response.ttfb", next() * 0.8),
      attribute("lk.pii.input_text", talk(next, 100 + next() * 300)),
      attribute("lk.tts_metrics", metrics(next, "tts_metrics")),
    ];
  }
  if (name === "user_turn") {
    return [
      attribute("lk.pii.user_transcript", talk(next, 60 + next() * 400)),
      attribute("lk.transcript_confidence", next()),
      attribute("lk.end_of_turn_delay", next()),
      attribute("gen_ai.provider.name", "deepgram"),
    ];
  }
  if (name === "eou_detection") {
    return [
      attribute("lk.eou.probability", next()),
      attribute("lk.eou.language", "en"),
      attribute("lk.pii.chat_ctx", chat(next, 2048 + next() * 1024)),
    ];
  }
  if (name === "function_tool") {
    return [
      attribute("lk.function_tool.id", `call_${hex(next, 6)}`),
      attribute("lk.function_tool.name", "book_slot"),
      attribute("lk.pii.function_tool.arguments", JSON.stringify({ date: "2026-10-04", slot: talk(next, 30) })),
      attribute("lk.function_tool.is_error", false),
      attribute("lk.pii.function_tool.output", JSON.stringify({ ok: true, detail: talk(next, 200 + next() * 1800) })),
    ];
  }
  if (name === "agent_turn") {
    return [
      attribute("lk.pii.user_input", talk(next, 60 + next() * 300)),
      attribute("lk.pii.instructions", talk(next, 1500 + next() * 800)),
      attribute("lk.e2e_latency", next() * 2.5),
      attribute("gen_ai.agent.name", of.agent),
    ];
  }
  return [
    attribute("lk.audio.duration", next() * 9),
    attribute("lk.audio.frames", BigInt(Math.floor(next() * 500))),
    attribute("lk.pii.transcript", talk(next, 80 + next() * 200)),
    attribute("lk.audio.sample_rate", 24_000n),
  ];
}

function talk(next: () => number, length: number): string {
  let text = "";
  while (text.length < length) {
    const pick = next();
    text += WORDS[Math.floor(pick * pick * WORDS.length)] + (next() < 0.08 ? ". " : " ");
  }
  return text;
}

function chat(next: () => number, length: number): string {
  const items: { role: string; content: string[] }[] = [];
  for (let used = 0; used < length; used += items.at(-1)!.content[0]!.length + 40) {
    items.push({ role: items.length % 2 ? "assistant" : "user", content: [talk(next, 120 + next() * 240)] });
  }
  return JSON.stringify({ items });
}

function metrics(next: () => number, type: string): string {
  return JSON.stringify({
    type,
    label: "livekit.plugins.openai.llm.LLM",
    request_id: `chatcmpl-${hex(next, 6)}`,
    timestamp: 1.7e9 + next() * 1e6,
    duration: next() * 3,
    ttft: next(),
    cancelled: false,
    completion_tokens: Math.floor(next() * 400),
    prompt_tokens: Math.floor(next() * 4000),
    tokens_per_second: next() * 90,
    metadata: { model_name: "gpt-4o-mini", model_provider: "api.openai.com" },
  });
}

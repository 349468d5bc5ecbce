import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { Measure } from "./measure.ts";
import { count } from "../core/numbers.ts";
import { Quality } from "./quality.ts";

/** A conversation whose root span has not ended is taken for over after so long without a span. */
export const IDLE_MINUTES = 10;

const countWhenKnown = (description: string) => count().nullable().meta({ description });

const durationMs = z.number().min(0).nullable().meta({ description: "Milliseconds; null while it has not ended." });

const nanoseconds = z
  .string()
  .regex(/^-?\d+$/)
  .meta({ description: "Nanoseconds since the Unix epoch, in decimal.", example: "1795251153094000000" });

const attributes = z.record(z.string(), json).meta({ description: "As they were sent." });

const traceId = z
  .string()
  .meta({ description: "32 hexadecimal characters.", example: "e87a0e1465e1d06e8d979e00fd1fec2a" });

const spanId = z.string().meta({ description: "16 hexadecimal characters.", example: "588b1f39bacf899a" });

/** The response latency over the turns of one conversation. */
export const ConversationLatency = z
  .strictObject({
    n: count("Answers whose latency is known."),
    mean: z.number().nullable().meta({ description: "Milliseconds; null without an answer." }),
    max: z.number().nullable().meta({ description: "Milliseconds; null without an answer." }),
    p50: z.number().nullable().meta({ description: "Milliseconds, nearest rank; null below 5 answers." }),
    p95: z.number().nullable().meta({ description: "Milliseconds, nearest rank; null below 20 answers." }),
  })
  .meta({ id: "ConversationLatency", description: "The response latency over the turns of one conversation." });
export type ConversationLatency = z.infer<typeof ConversationLatency>;

const summary = {
  traceId: traceId.meta({
    description: "Of the conversation's earliest trace; each of its traces' ids names the conversation.",
  }),
  traceIds: z
    .array(traceId)
    .max(LIMITS.traceIdsShown)
    .meta({ description: `The traces of the conversation, the earliest first, at most ${LIMITS.traceIdsShown}.` }),
  traceCount: count("Traces of the conversation; those that name the same id are of one."),
  conversationId: z
    .string()
    .nullable()
    .meta({ description: "The session, job or room that the spans name; null when they name none." }),
  source: z.enum(["production", "simulation"]),
  status: z.enum(["ok", "error"]).meta({ description: "`error` when a span failed." }),
  agentName: z.string().nullable(),
  serviceName: z.string().nullable(),
  rootName: z
    .string()
    .nullable()
    .meta({ description: "Name of the root span; null until it is received, which is often last." }),
  startedAt: timestamp(),
  endedAt: timestamp().nullable().meta({ description: "The latest end that is known." }),
  durationMs,
  complete: z
    .boolean()
    .meta({ description: "The root span has ended. False: more may come, or the worker stopped short." }),
  state: z.enum(["provisional", "final"]).meta({
    description: `\`final\` once the root span has ended, or no span came for ${IDLE_MINUTES} minutes, and all spans are read; a late span makes it provisional until it is read.`,
  }),
  spanCount: count(),
  errorCount: count("Spans that failed."),
  turnCount: countWhenKnown("Null when not counted yet, or when the spans are in no vocabulary that is read."),
  toolCallCount: countWhenKnown("Null when not counted yet, or when the spans are in no vocabulary that is read."),
  responseLatency: ConversationLatency.nullable().meta({
    description: "Null when not measured yet, or when no answer's latency can be known.",
  }),
  preview: z.string().nullable().meta({ description: "The first words of the conversation." }),
  lastReceivedAt: timestamp(),
};

/** A conversation in a list. Unknown is null, never 0. */
export const TraceSummary = z
  .strictObject(summary)
  .meta({ id: "TraceSummary", description: "A conversation in a list. Unknown is null, never 0." });
export type TraceSummary = z.infer<typeof TraceSummary>;

/** What one party said, from the start of its turn to the end. */
export const Turn = z
  .strictObject({
    index: count("Place in the conversation, from 0."),
    role: z.enum(["user", "agent"]),
    text: z.string().nullable().meta({ description: "Null when not known or withheld; never empty." }),
    startedAt: timestamp().meta({
      description: "Of the agent: when it began to work on the answer; its audio starts later.",
    }),
    endedAt: timestamp().nullable(),
    durationMs,
    interrupted: z.boolean().nullable().meta({ description: "The agent was cut short; null when not known." }),
    speechId: z.string().nullable().meta({ description: "The platform's id of the agent's speech." }),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: "Of the transcript, as the recogniser gave it." }),
    spanIds: z.array(spanId).meta({ description: "The spans that the turn was read from." }),
  })
  .meta({ id: "Turn", description: "What one party said." });
export type Turn = z.infer<typeof Turn>;

/** One call of the agent's tool. */
export const ToolCall = z
  .strictObject({
    id: z.string().nullable().meta({ description: "The model's id of the call; not unique in a conversation." }),
    name: z.string().nullable(),
    arguments: json.meta({ description: "Parsed when it is JSON, else the text; null when withheld.", override: {} }),
    result: json.meta({
      description: "Parsed when it is JSON, else the text; null when withheld or not answered.",
      override: {},
    }),
    isError: z.boolean().nullable().meta({ description: "Null when not known." }),
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    turnIndex: count().nullable().meta({ description: "The agent's turn that made the call; null when not known." }),
    spanId,
  })
  .meta({ id: "ToolCall", description: "One call of the agent's tool." });
export type ToolCall = z.infer<typeof ToolCall>;

const whenKnown = (description: string) => z.number().min(0).nullable().meta({ description });
const name = z.string().nullable().meta({ description: "Null when it does not name itself." });
const turnIndex = count().nullable().meta({ description: "The turn that it belongs to; null when not known." });

/** One request to a language model, with all its attempts. */
export const ModelCall = z
  .strictObject({
    model: name,
    provider: name,
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    timeToFirstTokenMs: whenKnown("From the request to the first token; null when not known."),
    inputTokens: countWhenKnown("Cached ones among them; null when not known."),
    cachedInputTokens: countWhenKnown("Null when not known."),
    outputTokens: countWhenKnown("Null when not known."),
    isError: z.boolean().nullable().meta({ description: "The last attempt failed; null when not known." }),
    retries: countWhenKnown("Attempts beyond the first; null when not known."),
    turnIndex,
    spanId,
  })
  .meta({ id: "ModelCall", description: "One request to a language model, with all its attempts." });
export type ModelCall = z.infer<typeof ModelCall>;

/** One request to speech synthesis, or the recognition of one user turn. */
export const SpeechCall = z
  .strictObject({
    kind: z.enum(["tts", "stt"]).meta({ description: "Synthesis or recognition." }),
    model: name,
    provider: name,
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    timeToFirstByteMs: whenKnown("From the first text to the first audio; null when not known."),
    characters: countWhenKnown("Of the text that was spoken; null when not known."),
    audioMs: whenKnown("Length of the audio; null when not known."),
    isError: z.boolean().nullable().meta({ description: "The last attempt failed; null when not known." }),
    turnIndex,
    spanId,
  })
  .meta({ id: "SpeechCall", description: "One request to speech synthesis, or the recognition of one user turn." });
export type SpeechCall = z.infer<typeof SpeechCall>;

/** Groups of the reasons for which calls end. */
const CALL_ENDINGS = ["completed", "taken_over", "no_contact", "dead_air", "limit", "fault"] as const;

/** What a hosted platform states of a whole call: its own words and verdicts, which nobody here has checked. */
export const CallReport = z
  .strictObject({
    provenance: z.literal("provider_reported"),
    status: z.string().nullable().meta({ description: "The platform's word for the state of the call." }),
    ending: z
      .strictObject({
        reason: z.string().meta({ description: "As the platform calls it.", example: "user_hangup" }),
        group: z.enum(CALL_ENDINGS).nullable().meta({ description: "Null for a reason that is not known here." }),
      })
      .nullable()
      .meta({ description: "Why the call ended; null when not told." }),
    verdicts: z
      .array(z.strictObject({ name: z.string(), value: json }))
      .meta({ description: "The platform's own, by name; it judges a while after the call." }),
    tokens: countWhenKnown("Of all requests to the language model, input and output together; null when not told."),
    costCents: z.number().nullable().meta({ description: "US cents; null when not told." }),
  })
  .meta({ id: "CallReport", description: "What a hosted platform states of a whole call." });
export type CallReport = z.infer<typeof CallReport>;

/** A span as it was received. */
export const Span = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId.nullable().meta({ description: "Null for a root; may name a span that was never received." }),
    depth: count("0 for a root and for a span whose parent was never received."),
    name: z.string(),
    kind: z.enum(["unspecified", "internal", "server", "client", "producer", "consumer"]),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds.nullable(),
    durationMs,
    status: z.enum(["unset", "ok", "error"]),
    statusMessage: z.string().nullable(),
    attributes,
    events: z.array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string(), attributes })),
    links: z.array(json),
    resource: attributes,
    scope: z.strictObject({ name: z.string().nullable(), version: z.string().nullable() }),
  })
  .meta({ id: "Span", description: "A span as it was received." });
export type Span = z.infer<typeof Span>;

/**
 * One conversation: what was said and done, its measures, how far they can be trusted, and the spans in tree order
 * (each parent before its children).
 */
export const Trace = z
  .strictObject({
    ...summary,
    vocabulary: z
      .enum(["simulation", "platform_a", "platform_b", "pipecat", "openinference", "gen_ai"])
      .nullable()
      .meta({ description: "The names by which the turns were read; null when the spans are in none that is read." }),
    generation: z
      .string()
      .nullable()
      .meta({ description: "The generation of the vocabulary's names; null when nothing tells." }),
    turns: z.array(Turn),
    toolCalls: z.array(ToolCall),
    modelCalls: z.array(ModelCall),
    speechCalls: z.array(SpeechCall),
    callReport: CallReport.nullable().meta({
      description: "What a hosted platform states of the whole call; null when none does.",
    }),
    measures: z.array(Measure).meta({ description: "Every measure, in the order in which they are shown." }),
    quality: Quality,
    spans: z.array(Span).meta({ description: "In tree order: each parent before its children, siblings by start." }),
    spansTruncated: z
      .boolean()
      .meta({ description: "There are more spans than are shown; turns, calls and measures are of those shown." }),
  })
  .meta({ id: "Trace", description: "One conversation: turns, tool calls and spans." });
export type Trace = z.infer<typeof Trace>;

import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { knownAgentVersion } from "./agent-version-filter.ts";
import { knownChannel } from "./channel-filter.ts";
import { IDLE_MINUTES } from "./bounds.ts";
import { CallLine } from "./call-line.ts";
import { CallReport } from "./call-report.ts";
import { ModelCall, SpeechCall, ToolCall } from "./calls.ts";
import { Measure } from "./measure.ts";
import { QUALITY_TOPICS } from "./quality-topics.ts";
import { Quality } from "./quality.ts";
import { Span } from "./span.ts";
import { SpeechPeriod, Turn, UnspokenTurn } from "./turn.ts";
import { countWhenKnown, durationMs, traceId } from "./values.ts";

/** Statistics of the response latency, or of the text response time, over the agent's answers in one conversation. */
export const ConversationLatency = z
  .strictObject({
    n: count("Number of answers with a known latency."),
    mean: z.number().nullable().meta({ description: "Milliseconds; null when no latency is known." }),
    max: z.number().nullable().meta({ description: "Milliseconds; null when no latency is known." }),
    p50: z.number().nullable().meta({ description: "Median in milliseconds by nearest rank; null below 5 answers." }),
    p95: z
      .number()
      .nullable()
      .meta({ description: "95th percentile in milliseconds by nearest rank; null below 20 answers." }),
  })
  .meta({
    id: "ConversationLatency",
    description: "Statistics of the response latency, or of the text response time, in one conversation.",
  });
export type ConversationLatency = z.infer<typeof ConversationLatency>;

/** Statements of a hosted platform about the outcome of a call. The service has not checked them. */
export const ReportedOutcome = z
  .strictObject({
    successful: z.boolean().nullable().meta({
      description: "Whether the platform says that the call was successful; null when it does not say.",
    }),
    ending: z.string().nullable().meta({
      description: "The platform's name for the reason of the end, at most 80 characters; null when it states none.",
      example: "user_hangup",
    }),
    summary: z.string().nullable().meta({
      description: "Beginning of the platform's summary, at most 300 characters; null when it makes none.",
    }),
  })
  .meta({
    id: "ReportedOutcome",
    description: "A hosted platform's own statements about how a call went. The service has not checked them.",
  });
export type ReportedOutcome = z.infer<typeof ReportedOutcome>;

const countAfterReading = countWhenKnown(
  "Null before the service has read the spans, and when no known vocabulary matches the spans.",
);

const summary = {
  traceId: traceId.meta({
    description: "Id of the conversation's earliest trace. The id of any of its traces identifies the conversation.",
  }),
  traceIds: z
    .array(traceId)
    .max(LIMITS.traceIdsShown)
    .meta({
      description: `Ids of the conversation's traces, earliest first, at most ${LIMITS.traceIdsShown}.`,
    }),
  traceCount: count("Number of traces. Traces with the same conversation id form one conversation."),
  conversationId: z
    .string()
    .nullable()
    .meta({ description: "Id of the session, job or room in the spans' attributes; null when the spans name none." }),
  source: z.enum(["production", "simulation"]),
  status: z.enum(["ok", "error"]).meta({ description: "`error` when at least one span or tool call failed." }),
  agentName: z.string().nullable(),
  agentVersion: knownAgentVersion,
  channel: knownChannel,
  serviceName: z.string().nullable(),
  rootName: z
    .string()
    .nullable()
    .meta({ description: "Name of the root span; null until it arrives. It often arrives last." }),
  startedAt: timestamp(),
  endedAt: timestamp().nullable().meta({ description: "Latest known end of a span." }),
  durationMs,
  complete: z.boolean().meta({
    description: "Whether the root span has ended. If `false`, more spans may come, or the worker stopped early.",
  }),
  state: z.enum(["provisional", "final"]).meta({
    description: `\`final\` when the root span has ended, or no span arrived for ${IDLE_MINUTES} minutes, and the service has read all spans. A late span makes it \`provisional\` until the service has read this span too.`,
  }),
  spanCount: count(),
  errorCount: count(
    "Number of failed spans, and of failed tool calls whose spans do not say that they failed. Before the service has read the spans, only the failed spans are known.",
  ),
  turnCount: countAfterReading,
  toolCallCount: countAfterReading,
  responseLatency: ConversationLatency.nullable().meta({
    description:
      "Null before the service has read the spans, when no answer has a known latency, and for typed conversations.",
  }),
  textResponseTime: ConversationLatency.nullable().meta({
    description:
      "Text response time of a typed conversation. Null before the service has read the spans, when no answer has a known time, and for spoken conversations.",
  }),
  interruptionCount: countWhenKnown(
    "Number of times that the user cut the agent short. Null before the service has read the spans, and when it is unknown.",
  ),
  qualityTopics: z
    .array(z.enum(QUALITY_TOPICS))
    .nullable()
    .meta({ description: "Topics of the quality notes, each once. Null before the service has read the spans." }),
  preview: z.string().nullable().meta({
    description:
      "Beginning of the caller's first words; when the caller says none, of the first words of the conversation. Null when no words are known.",
  }),
  previewRole: z.enum(["user", "agent", "third_party"]).nullable().meta({
    description:
      "Who says the words of `preview`; null without a preview, and for a conversation whose turns an older version of the service derived, until they are derived again.",
  }),
  reportedOutcome: ReportedOutcome.nullable().meta({
    description: "What a hosted platform says about how the call went; null when it says nothing.",
  }),
  lastReceivedAt: timestamp(),
};

/** Conversation in a list. An unknown value is null, never 0. */
export const TraceSummary = z
  .strictObject(summary)
  .meta({ id: "TraceSummary", description: "A conversation in a list. An unknown value is null, never 0." });
export type TraceSummary = z.infer<typeof TraceSummary>;

/** Numbers of a conversation's grades by verdict. */
export const VerdictCounts = z
  .strictObject({
    passed: count(),
    failed: count(),
    undecided: count("Number of grades that are inconclusive, errored or not graded."),
  })
  .meta({
    id: "VerdictCounts",
    description:
      "The grades of a simulation's last grading, or the newest grade of each grader of a production conversation.",
  });
export type VerdictCounts = z.infer<typeof VerdictCounts>;

/** Place in a conversation at which a search matches. */
export const SearchMatch = z
  .strictObject({
    in: z.enum(["turns", "names"]).meta({
      description:
        "`turns`: in words that were said. `names`: in an id of the conversation, in the name of its room or session, or in the error of a span.",
    }),
    text: z.string().meta({
      description: `The match and at most ${LIMITS.matchContextCharacters} characters before and after it, with an ellipsis where the text is cut. The text is in lower case, as in the search index.`,
    }),
    start: count("Position of the first character of the match in `text`, in UTF-16 code units from 0."),
    end: count("Position after the last character of the match in `text`, in UTF-16 code units."),
  })
  .meta({ id: "SearchMatch", description: "A place in a conversation at which a search matches." });
export type SearchMatch = z.infer<typeof SearchMatch>;

/** Conversation in the list of conversations, with the verdicts of its graders and the match of the search. */
export const ListedTrace = z
  .strictObject({
    ...summary,
    verdicts: VerdictCounts.nullable().meta({ description: "Null when no grader has graded the conversation." }),
    searchMatch: SearchMatch.nullable().meta({
      description:
        "Where the text of `search` was found first. Null without `search`, and when only the name of the agent matches.",
    }),
  })
  .meta({ id: "ListedTrace", description: "A conversation in the list. An unknown value is null, never 0." });
export type ListedTrace = z.infer<typeof ListedTrace>;

/** Conversation with its turns, calls, measures, data quality and spans. The spans are in tree order: each parent before its children. */
export const Trace = z
  .strictObject({
    ...summary,
    vocabulary: z
      .enum(["simulation", "platform_a", "platform_b", "pipecat", "openinference", "gen_ai"])
      .nullable()
      .meta({
        description:
          "Vocabulary, which is the set of attribute names that the spans use; null when no known vocabulary matches.",
      }),
    generation: z.string().nullable().meta({
      description:
        "Generation of the vocabulary's attribute names, which change with versions of the sender; null when unknown.",
    }),
    turns: z.array(Turn),
    unspokenTurns: z.array(UnspokenTurn).meta({
      description: "Answers that failed or were discarded before the user heard anything, sorted by start time.",
    }),
    speech: z.array(SpeechPeriod).meta({
      description:
        "Periods of audible speech, sorted by start time, without periods that cannot be true. Empty for typed conversations and when the spans do not show speech.",
    }),
    toolCalls: z.array(ToolCall),
    modelCalls: z.array(ModelCall),
    speechCalls: z.array(SpeechCall),
    callReport: CallReport.nullable().meta({
      description: "A hosted platform's statements about the whole call; null when it made none.",
    }),
    line: CallLine.nullable().meta({
      description:
        "Signalling and packets of a call that the service placed over SIP; null for any other conversation.",
    }),
    measures: z.array(Measure).meta({ description: "Every measure, in display order." }),
    quality: Quality,
    spans: z.array(Span).meta({
      description: "Spans in tree order: each parent before its children, siblings by start time.",
    }),
    spansTruncated: z.boolean().meta({
      description:
        "Whether the conversation has more spans than `spans` contains. Turns, calls and measures then cover only these spans.",
    }),
    upToDate: z.boolean().nullable().meta({
      description:
        "Whether the answer includes every span of the conversation that was acknowledged before the request. Null without `wait`.",
    }),
  })
  .meta({ id: "Trace", description: "One conversation: turns, tool calls and spans." });
export type Trace = z.infer<typeof Trace>;

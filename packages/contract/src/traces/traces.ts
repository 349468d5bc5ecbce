import { z } from "zod";
import { writesProject } from "../core/access.ts";
import { LIMITS } from "../core/limits.ts";
import { count, positive } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { deleteOperation, getOperation } from "../core/resource-operations.ts";
import { projectId, yesOrNo } from "../core/selection.ts";
import { conversationFilters, conversationOrder } from "./conversation-filters.ts";
import { readingLag } from "./reading-lag.ts";
import { ListedTrace, Trace } from "./trace.ts";

const tag = "Traces";

/** Conversations. Senders deliver spans over OTLP, and the service derives turns, calls and measures from the spans. */
export const traces = {
  /**
   * Ingests spans over OTLP/HTTP. The body is protobuf or JSON, plain or compressed with gzip, deflate or zstd. It has at most 20 MiB,
   * before and after decompression. Requires a project-scoped key.
   *
   * Status 200 means that the spans are on disk. `partialSuccess` counts the spans that the service rejected individually.
   */
  ingest: operation({
    method: "POST",
    path: "/v1/traces",
    audit: {
      leftOut: "Workers send spans all the time, without a decision of a person. An API key shows its last use.",
    },
    summary: "Ingest spans (OTLP/HTTP)",
    description:
      "Status 200 means that the spans are on disk. `partialSuccess` counts the spans that the service rejected individually. The answer has the encoding of the request; the error of a protobuf request is a `google.rpc.Status`. Requires a project-scoped key.",
    tag,
    credential: "bearer",
    permission: "ingest",
    scope: "project",
    body: "otlp",
    status: 200,
    answer: z
      .strictObject({
        partialSuccess: z.strictObject({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
      })
      .meta({ id: "ExportTraceServiceResponse" }),
  }),

  /**
   * Lists conversations. They are sorted by start, newest first; `sort` changes the order. With `total`, the answer also contains the
   * number of conversations that match.
   */
  list: getOperation({
    path: "/v1/traces",
    summary: "List conversations",
    tag,
    answerHeaders: readingLag,
    query: z.strictObject({
      projectId,
      ...conversationFilters,
      sort: conversationOrder,
      total: yesOrNo.optional().meta({ description: "`true` counts the conversations that match, on all pages." }),
      ...pageQuery,
    }),
    answer: z.strictObject({
      traces: z.array(ListedTrace),
      nextPageToken,
      total: count()
        .nullable()
        .meta({
          description: `Number of conversations that match, at most ${LIMITS.conversationsCounted}. Null without \`total=true\`.`,
        }),
      totalIsMore: z.boolean().meta({ description: "Whether more conversations match than `total` says." }),
    }),
  }),

  /**
   * Returns the conversation that contains the trace, with its turns, tool calls, measures and spans in tree order. Spans appear in
   * it about a second after the service acknowledged them. With `wait`, the service delays the answer until they appear, for at most
   * that number of seconds.
   */
  get: getOperation({
    path: "/v1/traces/{traceId}",
    summary: "Show a conversation",
    description:
      "The id of any of its traces identifies the conversation. Spans can be read about a second after they were acknowledged; with `wait`, the service delays the answer until then. When too many large conversations are read at the same time, a request waits, and gets 503 when the wait is too long.",
    tag,
    resource: "trace",
    answerHeaders: readingLag,
    params: z.strictObject({ traceId: z.string().min(1).meta({ description: "32 hexadecimal characters." }) }),
    query: z.strictObject({
      projectId,
      wait: z.coerce.number<number>().int().min(0).max(LIMITS.traceWaitSeconds).optional().meta({
        description:
          "Maximum number of seconds to wait until the service has read every span that it acknowledged before the request. After this time, the answer contains the spans that can be read so far, and `upToDate` is `false`. When no span can be read, the answer is 404.",
      }),
    }),
    answer: Trace,
  }),

  /**
   * Deletes the conversation that contains the trace: all its traces, turns, measures and grades, its recording, and the notes of
   * labels. The service erases the bytes from the disk within an hour. It acknowledges and drops later spans of the conversation.
   *
   * The simulation of a deleted conversation still has its verdicts, but no texts. Answers 409 `conflict` when the simulation is not
   * finished.
   */
  delete: deleteOperation({
    path: "/v1/traces/{traceId}",
    summary: "Delete a conversation",
    description:
      "The id of any of its traces identifies the conversation. All its traces, turns, measures, grades, its recording and notes of labels are gone when the request is answered, and their bytes are gone from the disk within an hour. Spans that arrive later with the conversation's id, or with the id of one of its traces, are acknowledged and dropped. The simulation of a deleted conversation keeps its verdicts and loses its texts. Answers 409 `conflict` while the simulation is not finished.",
    tag,
    resource: "trace",
    errors: ["conflict"],
    params: z.strictObject({ traceId: z.string().min(1).meta({ description: "32 hexadecimal characters." }) }),
    query: z.strictObject({ projectId }),
  }),

  /**
   * Derives turns and measures again for every stored conversation whose turns an older version of the attribute mapping derived. A
   * conversation keeps its old turns and measures until the new ones are ready. Live conversations have priority. A repeated
   * request returns how many conversations still wait.
   */
  remap: operation({
    ...writesProject,
    method: "POST",
    path: "/v1/traces/remap",
    summary: "Derive the turns and measures of stored conversations again",
    description:
      "Derives turns and measures again from the spans of every conversation whose turns an older version of the attribute mapping derived. Each conversation keeps its old turns and measures until then. Live conversations have priority. Repeat the request to see how many conversations still wait.",
    tag,
    body: z.strictObject({
      projectId,
      all: z.boolean().optional().meta({
        description:
          "`true` derives the turns and measures of all conversations again, including those of the current version.",
      }),
    }),
    status: 200,
    answer: z.strictObject({
      mappingVersion: positive("Current version of the mapping from attributes of spans to turns and measures."),
      remaining: count("Number of conversations that still wait."),
    }),
  }),
};

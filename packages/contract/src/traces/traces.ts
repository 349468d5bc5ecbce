import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { idInput, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count, positive } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { Trace, TraceSummary } from "./trace.ts";

const tag = "Traces";

/** Conversations: their spans come in by OTLP, and are read as turns, calls and measures. */
export const traces = {
  /**
   * OTLP/HTTP trace export, protobuf or JSON, gzip or plain, up to 20 MiB as sent and inflated. 200 means that the spans
   * are on disk; spans refused one by one are counted in `partialSuccess`. Needs a project-scoped key.
   */
  ingest: operation({
    method: "POST",
    path: "/v1/traces",
    summary: "Ingest spans (OTLP/HTTP)",
    description:
      "200 means that the spans are on disk. Spans refused one by one are counted in `partialSuccess`. The answer is in the request's encoding; an error of a protobuf request is a `google.rpc.Status`.",
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

  /** Lists conversations, newest first unless sorted otherwise. */
  list: operation({
    method: "GET",
    path: "/v1/traces",
    summary: "List conversations",
    tag,
    ...readsProject,
    query: z.strictObject({
      projectId,
      ...pageQuery,
      from: timestampInput.meta({ description: "Started at or after." }).optional(),
      to: timestampInput.meta({ description: "Started before." }).optional(),
      source: z.enum(["production", "simulation"]).optional(),
      agent: z.string().min(1).max(256).optional().meta({ description: "Exact agent name." }),
      agentId: idInput("agt").optional().meta({
        description:
          "A registered agent: conversations that bear the name it has now; none where there is no such agent.",
      }),
      runId: idInput("run").optional().meta({ description: "The simulated conversations of that run." }),
      status: z.enum(["ok", "error"]).optional(),
      search: textUpTo(LIMITS.searchCharacters)
        .optional()
        .meta({ description: "Text in what was said, the agent or the conversation id." }),
      sort: z
        .enum(["-startedAt", "startedAt", "-duration", "duration", "-latency", "latency"])
        .optional()
        .meta({ description: "Default `-startedAt`. Latency is the mean response latency; the unknown sorts lowest." }),
    }),
    status: 200,
    answer: z.strictObject({ traces: z.array(TraceSummary), nextPageToken }),
  }),

  /** One conversation, by the id of any of its traces: its turns, its tool calls and all its spans in tree order. */
  get: operation({
    method: "GET",
    path: "/v1/traces/{traceId}",
    summary: "Show a conversation",
    description: "Each of its traces' ids names the conversation.",
    tag,
    ...readsProject,
    params: z.strictObject({ traceId: z.string().min(1).meta({ description: "32 hexadecimal characters." }) }),
    query: z.strictObject({ projectId }),
    status: 200,
    answer: Trace,
  }),

  /**
   * Has conversations be read again from their stored spans that an older mapping read. They are shown as they were read
   * before until it is done. Calling again tells how many still wait.
   */
  remap: operation({
    method: "POST",
    path: "/v1/traces/remap",
    summary: "Read stored conversations again",
    description:
      "For conversations that an older version of the mapping read. They are shown as before until it is done, and live ones go first. Call again to see how many still wait.",
    tag,
    ...writesProject,
    body: z.strictObject({
      projectId,
      all: z
        .boolean()
        .optional()
        .meta({ description: "All conversations, whatever read them; starts anew each time." }),
    }),
    status: 200,
    answer: z.strictObject({
      mappingVersion: positive("The version that reads now."),
      remaining: count("Conversations that still wait."),
    }),
  }),
};

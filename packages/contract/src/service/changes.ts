import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { TraceSummary } from "../traces/trace.ts";

const cursor = z.string().meta({ description: "Send it as `after` to continue the stream after this event." });

/**
 * Event of a project's changes, by its `kind`:
 *
 * - `ready`: the stream has sent the changes after `after`. Changes from now on follow.
 * - `conversations`: the service has read the spans of new conversations, or new spans of known conversations.
 * - `imports`: a scan, an import failure or a monitoring setup has changed.
 * - `reset`: events were lost. Read the lists again.
 */
export const ProjectChange = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("ready"), cursor }),
    z.strictObject({ kind: z.literal("reset"), cursor }),
    z.strictObject({
      kind: z.literal("conversations"),
      cursor,
      traces: z.array(TraceSummary).max(LIMITS.conversationsPerChange).meta({
        description:
          "The conversations with the members of the list of conversations, without `verdicts` and `searchMatch`. The conversation that the service read last comes first.",
      }),
      isMore: z.boolean().meta({ description: "Whether more conversations have changed than `traces` contains." }),
    }),
    z.strictObject({
      kind: z.literal("imports"),
      cursor,
      openFailures: count("Number of open import failures of the project."),
    }),
  ])
  .meta({ id: "ProjectChange", description: "An event of a project's changes." });
export type ProjectChange = z.infer<typeof ProjectChange>;

/** Changes of a project as they happen. */
export const changes = {
  /**
   * Streams the project's changes as server-sent events, without end: conversations with new turns, and the progress of imports.
   * The data of each event is a `ProjectChange`. One event collects the changes of about two seconds. The deletion of a
   * conversation causes no event. `followChanges` of the SDK reads the stream and reconnects after a loss.
   */
  stream: getOperation({
    path: "/v1/changes",
    summary: "Follow a project's changes",
    description:
      "The events are `ready`, `conversations`, `imports` and `reset`; the data of each is a `ProjectChange` in JSON. Changes within about two seconds come in one event. The deletion of a conversation causes no event. A stream counts as one request for the rate limit.",
    tag: "Service",
    query: z.strictObject({
      projectId,
      after: z
        .string()
        .max(100)
        .optional()
        .meta({ description: "`cursor` of the last event. Without it the stream has only changes from now on." }),
    }),
    answer: "event-stream",
  }),
};

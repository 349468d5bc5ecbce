import { z } from "zod";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { TraceSummary } from "../traces/trace.ts";

const cursor = z.string().meta({ description: "Send it as `after` to continue the stream behind this event." });

/**
 * An event of a project's changes. `ready` means that the changes after `after` were sent, and new ones follow. `conversations` has conversations that the service has read, new
 * ones and those with new spans. `imports` means that a scan, an import failure or a setup has changed. `reset` means that
 * events were lost: read the lists again.
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
          "The conversations as in the list, without the verdicts and the place of a match; the last read one first.",
      }),
      isMore: z.boolean().meta({ description: "Whether more conversations have changed than `traces` holds." }),
    }),
    z.strictObject({
      kind: z.literal("imports"),
      cursor,
      openFailures: count("Number of open import failures of the project."),
    }),
  ])
  .meta({ id: "ProjectChange", description: "An event of a project's changes." });
export type ProjectChange = z.infer<typeof ProjectChange>;

/** The changes of a project as they happen. */
export const changes = {
  /**
   * Streams the project's changes as server-sent events, without end: conversations that the service has read, and the progress
   * of imports. The data of an event is a `ProjectChange`. Changes within about two seconds come in one event. The deletion of a
   * conversation is no event. `followChanges` of the SDK reads the stream and connects again when it is lost.
   */
  stream: getOperation({
    path: "/v1/changes",
    summary: "Follow a project's changes",
    description:
      "The events are `ready`, `conversations`, `imports` and `reset`; the data of each is a `ProjectChange` in JSON. Changes within about two seconds come in one event. The deletion of a conversation is no event. A stream counts as one request of the rate limit.",
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

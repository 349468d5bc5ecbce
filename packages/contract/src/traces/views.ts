import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { nameText } from "../core/texts.ts";
import { agentName } from "./agent-names.ts";
import { agentVersion } from "./agent-version-filter.ts";
import { channel } from "./channel-filter.ts";
import { conversationFilters, conversationOrder } from "./conversation-filters.ts";
import { turnFilters, turnOrder } from "./listed-turns.ts";
import { VIEWED_LISTS } from "./view-query.ts";

/** A view has one value of each filter, as the pages have, and JSON in place of the texts of query parameters. */
const valuesOf = ({ interrupted, tool }: Pick<typeof conversationFilters, "interrupted" | "tool">) => ({
  lastHours: z
    .int()
    .min(1)
    .max(LIMITS.viewHours)
    .optional()
    .meta({
      description:
        "Only what started in this many hours before the view is opened. Send it in place of `from` and `to`, which never move.",
      override: { type: "integer", minimum: 1, maximum: LIMITS.viewHours },
    }),
  agent: agentName.optional().meta({ description: "Exact name of an agent." }),
  withoutAgent: z.literal(true).optional().meta({ description: "Only conversations without an agent name." }),
  agentVersion: agentVersion.optional().meta({ description: "Exact version of the agent." }),
  channel: channel.optional(),
  slowerThanMs: z
    .int()
    .min(0)
    .max(86_400_000)
    .optional()
    .meta({
      description: "Only answers that took longer than this many milliseconds.",
      override: { type: "integer", minimum: 0, maximum: 86_400_000 },
    }),
  interrupted: z.boolean().optional().meta({ description: interrupted.meta()?.description }),
  tool,
});

const RANGE = { error: "Send either `lastHours`, or `from` and `to`.", path: ["lastHours"] };
const hasOneRange = ({ from, to, lastHours }: { from?: unknown; to?: unknown; lastHours?: unknown }) =>
  lastHours === undefined || (from === undefined && to === undefined);

const { agentId: _ofConversations, ...ofConversations } = conversationFilters;
const { agentId: _ofTurns, ...ofTurns } = turnFilters;

/** Filters, order and range of a saved view, by its list. They are the query parameters of `traces.list` or `turns.list`. */
export const ViewQuery = z
  .discriminatedUnion("list", [
    z
      .strictObject({
        list: z.literal("conversations"),
        ...ofConversations,
        ...valuesOf(ofConversations),
        sort: conversationOrder,
      })
      .refine(hasOneRange, RANGE),
    z
      .strictObject({ list: z.literal("turns"), ...ofTurns, ...valuesOf(ofTurns), sort: turnOrder })
      .refine(hasOneRange, RANGE),
  ])
  .meta({
    id: "ViewQuery",
    description:
      "Filters, order and range of a saved view: the query parameters of `GET /v1/traces` or `GET /v1/turns`, with one value each.",
  });
export type ViewQuery = z.infer<typeof ViewQuery>;

/** Saved view: filters, order and range of the list of conversations or of the list of turns, under a name. */
export const SavedView = z
  .strictObject({
    id: id("viw"),
    projectId: id("prj"),
    name: z.string(),
    query: ViewQuery,
    problems: z
      .array(
        z.strictObject({
          filter: z.string().meta({ description: "Name of the filter in `query`.", example: "alertId" }),
          message: z.string().meta({ description: "What is wrong with the filter, and what to do." }),
        }),
      )
      .meta({ description: "Filters that name something which no longer exists. Usually empty." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({
    id: "SavedView",
    description: "Filters, order and range of the list of conversations or of turns, under a name, for a project.",
  });
export type SavedView = z.infer<typeof SavedView>;

const name = nameText().meta({ description: "Unique in the project." });

const all = {
  tag: "Traces",
  path: "/v1/views",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ view: SavedView }),
} as const;
const one = {
  ...all,
  path: "/v1/views/{viewId}",
  resource: "view",
  params: z.strictObject({ viewId: idInput("viw") }),
} as const;

/** Saved views of the lists of conversations and turns. Everybody who may read the project sees them. */
export const views = {
  /** Lists the project's saved views, newest first. */
  list: listOperation({
    ...all,
    summary: "List saved views",
    filters: { list: z.enum(VIEWED_LISTS).optional().meta({ description: "Only views of this list." }) },
    items: { views: SavedView },
  }),

  /**
   * Saves a view. Answers 409 `name_taken` when another view of the project has the name, and 422 when a filter names a run or an alert
   * that the project does not have.
   */
  create: createOperation({
    ...all,
    summary: "Save a view",
    description: `Everybody who may read the project sees the view. A project has at most ${LIMITS.views} views.`,
    body: z.strictObject({ name, query: ViewQuery }),
    errors: ["name_taken"],
  }),

  /** Returns a saved view. */
  get: getOperation({ ...one, summary: "Show a saved view" }),

  /** Changes the name of a saved view, or replaces its filters, order and range. The view stays a view of the same list. */
  edit: editOperation({
    ...one,
    summary: "Edit a saved view",
    description: "`query` replaces all filters, the order and the range. The view stays a view of the same list.",
    body: z.strictObject({ name: name.optional(), query: ViewQuery.optional() }),
    errors: ["name_taken"],
  }),

  /** Deletes a saved view. No conversation is deleted. */
  delete: deleteOperation({ ...one, summary: "Delete a saved view" }),
};

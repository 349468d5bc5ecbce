import { z } from "zod";
import { writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { editOperation, getOperation, listOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { Grade } from "../graders/grades.ts";
import { LABEL_VERDICTS } from "../graders/verdicts.ts";
import { REVIEW_REASON_NAMES, REVIEW_STATES } from "./review-words.ts";

const share = z.number().min(0).max(1);

/** Settings of a project's review queue: which conversations the service adds to it. */
export const ReviewSettings = z.strictObject({
  enabled: z
    .boolean()
    .meta({ description: "`false`: the service adds no conversations to the queue. Existing items stay." }),
  sources: z
    .array(z.enum(REVIEW_REASON_NAMES))
    .max(REVIEW_REASON_NAMES.length)
    .meta({ description: "The enabled sources: reasons for which the service adds conversations to the queue." }),
  randomShare: share.meta({
    description:
      "Share of the graded conversations that the source `random` draws. The draw depends only on the project and the conversation.",
  }),
  confidenceBelow: share.meta({
    description: "The source `low_confidence` adds conversations with a grade whose confidence is below this number.",
  }),
  scope: z
    .enum(["production", "simulations", "both"])
    .meta({ description: "Kind of conversations that the service adds to the queue." }),
  graderIds: z.array(idInput("grd")).max(LIMITS.graders).meta({
    description:
      "Graders whose grades people label, including grades that code decided. Empty: every grade that a judge decided.",
  }),
  secondPersonShare: share.meta({
    description:
      "Share of the items that need the labels of two people. These items show how far people agree with each other. A change applies to new items.",
  }),
});
export type ReviewSettings = z.infer<typeof ReviewSettings>;

/** Review queue of a project: its settings, and the numbers of its items. */
export const ReviewQueue = z
  .strictObject({
    ...ReviewSettings.shape,
    counts: z.strictObject({
      waiting: count("Items that have no grade to label yet."),
      open: count("Items that people can label now."),
      inWork: count("Open items that are reserved for a person."),
      done: count(),
      skipped: count(),
    }),
    itemsMax: count("Maximum number of items that are waiting or open at the same time."),
    leftOut: count("Conversations that did not come into the queue because it was full."),
  })
  .meta({ id: "ReviewQueue" });
export type ReviewQueue = z.infer<typeof ReviewQueue>;

/** Item of the review queue: a conversation for people to label. */
export const ReviewItem = z
  .strictObject({
    id: id("rvi"),
    projectId: id("prj"),
    source: z.enum(["production", "simulation"]),
    traceId: z
      .string()
      .nullable()
      .meta({ description: "Id of one of the conversation's traces. Null for a simulation without a trace." }),
    runId: id("run").nullable().meta({ description: "Null for a production conversation." }),
    simulationId: id("sim").nullable().meta({ description: "Null for a production conversation." }),
    agentName: z.string().nullable(),
    startedAt: timestamp().nullable(),
    state: z.enum(REVIEW_STATES).meta({
      description:
        "`waiting`: the item has no grade to label yet. `open`: people can label the item. `done`: `peopleWanted` people have labeled every grade. `skipped`: a person removed the item from the queue without a label.",
    }),
    reasons: z
      .array(
        z.strictObject({
          reason: z.enum(REVIEW_REASON_NAMES),
          sentence: z.string().meta({ description: "Why the conversation is in the queue, in one sentence." }),
          graderId: z
            .string()
            .nullable()
            .meta({ description: "The grader whose grade is in doubt; null for reasons that concern no grade." }),
          alertId: id("alt").nullable().meta({ description: "The first alert about the conversation." }),
          at: timestamp(),
        }),
      )
      .meta({ description: "Oldest first." }),
    gradeIds: z.array(id("gra")).max(LIMITS.gradesOfReviewItem).meta({ description: "The grades to label." }),
    peopleWanted: z
      .int()
      .min(1)
      .max(2)
      .meta({
        description: "The number of people whose labels the item needs.",
        override: { type: "integer", minimum: 1, maximum: 2 },
      }),
    people: z
      .array(
        z.strictObject({
          userId: z.string(),
          userName: z.string(),
          did: z.enum(["reviewing", "labeled", "skipped"]).meta({
            description:
              "`reviewing`: the item is reserved for the person. `labeled`: the person labeled every grade. `skipped`: the person skipped the item.",
          }),
          at: timestamp(),
        }),
      )
      .meta({ description: "People for whom the item is reserved, and people who labeled or skipped it." }),
    createdAt: timestamp(),
    closedAt: timestamp().nullable(),
  })
  .meta({ id: "ReviewItem" });
export type ReviewItem = z.infer<typeof ReviewItem>;

const gradesOfItem = z.array(Grade).max(LIMITS.gradesOfReviewItem).meta({
  description: "The grades to label, with the labels that they have.",
});
const withGrades = z.strictObject({ item: ReviewItem, grades: gradesOfItem });

const filters = {
  reason: z.enum(REVIEW_REASON_NAMES).optional(),
  graderId: idInput("grd").optional().meta({ description: "Only items that have a grade of this grader to label." }),
  agent: textUpTo(LIMITS.nameCharacters).optional().meta({ description: "Only conversations of this agent, by name." }),
};

const common = { tag: "Review", query: z.strictObject({ projectId }) } as const;
const all = { ...common, path: "/v1/review", answer: z.strictObject({ queue: ReviewQueue }) } as const;
const one = {
  ...common,
  path: "/v1/review/items/{reviewItemId}",
  resource: "reviewItem",
  params: z.strictObject({ reviewItemId: idInput("rvi") }),
  answer: withGrades,
} as const;
const acts = { ...one, ...writesProject, method: "POST", status: 200 } as const;

/** Review queue: conversations for people to label. */
export const review = {
  /** Returns the settings of the project's review queue, and the number of its items in each state. */
  queue: getOperation({ ...all, summary: "Show the review queue" }),

  /** Changes the given settings of the queue. The new settings apply to conversations that are graded later. */
  configure: editOperation({
    ...all,
    summary: "Change which conversations come into the review queue",
    description: "Changes the given settings. The new settings apply to conversations that are graded later.",
    body: ReviewSettings.partial(),
  }),

  /** Lists the items of the queue, newest first. */
  list: listOperation({
    ...common,
    path: "/v1/review/items",
    summary: "List the items of the review queue",
    filters: { state: z.enum(REVIEW_STATES).optional(), ...filters },
    items: { items: ReviewItem },
  }),

  /** Returns an item with its grades. */
  get: getOperation({ ...one, summary: "Show an item of the review queue" }),

  /**
   * Returns the next item to label and reserves it for the caller for ten minutes. Conversations of alerts come first, then the
   * oldest item. Without `after`, an item that is already reserved for the caller is returned again. The item is null when nothing
   * is left to label.
   */
  next: {
    ...common,
    ...writesProject,
    method: "POST",
    path: "/v1/review/next",
    summary: "Take the next item of the review queue",
    description:
      "Returns the next item to label and reserves it for the caller for ten minutes. Conversations of alerts come first, then the oldest item. Nobody gets an item again that they labeled or skipped. An item is never reserved for more people than it needs. Without `after`, the service returns the item that is already reserved for the caller, if any. The item is null when nothing is left to label.",
    audit: { leftOut: "It reserves an item for some minutes, and changes nothing else." },
    body: z.strictObject({
      ...filters,
      after: idInput("rvi").optional().meta({
        description:
          "Id of an item. The service returns an item that comes after it, and ends the caller's reservation of the given item.",
      }),
    }),
    status: 200,
    answer: z.strictObject({ item: ReviewItem.nullable(), grades: gradesOfItem }),
  } as const,

  /**
   * Stores the caller's label on a grade of the item. A caller who has labeled every grade is done with the item. The effect is the
   * same as of `PUT /v1/grades/{gradeId}/label`: a later label of the caller replaces the earlier label, and the labels of other
   * people stay.
   */
  label: {
    ...acts,
    path: "/v1/review/items/{reviewItemId}/label",
    summary: "Label a grade of a review item",
    description:
      "A caller who has labeled every grade is done with the item. The effect is the same as of `PUT /v1/grades/{gradeId}/label`: a person's later label replaces the person's earlier label, and the labels of other people stay.",
    body: z.strictObject({
      gradeId: idInput("gra").optional().meta({
        description: "The grade to label. Optional while only one grade of the item lacks the caller's label.",
      }),
      verdict: z.enum(LABEL_VERDICTS).meta({ description: "The verdict that you consider right, or `unsure`." }),
      note: textUpTo(LIMITS.behaviorCharacters).optional(),
    }),
    errors: ["unprocessable"],
  } as const,

  /** Removes an item from the queue without a label, for everybody. Answers 409 `conflict` when the item is done. */
  skip: {
    ...acts,
    path: "/v1/review/items/{reviewItemId}/skip",
    summary: "Skip a review item",
    description:
      "Removes the item from the queue for everybody, without a label. When somebody labels the item later, it counts as done.",
    body: z.strictObject({}),
    errors: ["conflict"],
  } as const,
};

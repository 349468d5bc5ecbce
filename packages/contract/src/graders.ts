import { z } from "zod";
import { readsProject, writesProject } from "./access.ts";
import { id, idInput, timestamp } from "./ids.ts";
import { LIMITS } from "./limits.ts";
import { count, shareWhenKnown, versionNumber } from "./numbers.ts";
import { operation } from "./operation.ts";
import { nextPageToken, pageQuery } from "./pagination.ts";
import { archived, projectId } from "./selection.ts";
import { textUpTo } from "./texts.ts";

const text = (description: string) => textUpTo(LIMITS.behaviorCharacters).meta({ description });

/** Graders that ship with the service and need neither key nor expected behavior. */
export const BUILT_IN_GRADERS = [
  "unanswered_turns",
  "missed_final_turn",
  "duplicate_tool_call",
  "unhandled_tool_error",
  "repeated_sentence",
  "claimed_without_tool_call",
  "response_latency",
  "turn_taking",
] as const;

/**
 * What a grader looks at, by its `kind`:
 *
 * - `expected_behaviors`: each expected behavior of the simulation's test, by code or by the judge.
 * - `check`: one sentence in a form that code decides (docs/behaviors.md).
 * - `latency`: the agent's answers come within `maxMs` milliseconds at a percentile, by nearest rank.
 * - `llm`: a criterion of its own, by the judge; without a language model it is `not_graded`.
 * - `built_in`: one of those that ship with the service.
 */
export const GraderDefinition = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({ kind: z.literal("expected_behaviors") }),
      z.strictObject({ kind: z.literal("check"), check: text("A sentence in a form that code decides.") }),
      z.strictObject({
        kind: z.literal("latency"),
        maxMs: z
          .int()
          .min(1)
          .max(LIMITS.graderLatencyMs)
          .meta({
            description: "Milliseconds from the end of the caller's turn to the answer.",
            override: { type: "integer", minimum: 1, maximum: LIMITS.graderLatencyMs },
          }),
        percentile: z.literal([50, 90, 95, 99]),
      }),
      z.strictObject({
        kind: z.literal("llm"),
        criterion: text("What the agent must do."),
        passesWhen: text("What a pass looks like.").optional(),
        failsWhen: text("What a failure looks like.").optional(),
      }),
      z.strictObject({ kind: z.literal("built_in"), name: z.enum(BUILT_IN_GRADERS) }),
    ],
    { error: "Send an object whose `kind` is expected_behaviors, check, latency, llm or built_in." },
  )
  .meta({ id: "GraderDefinition" });
export type GraderDefinition = z.infer<typeof GraderDefinition>;

const settingsShape = {
  enabled: z.boolean().meta({ description: "False: it grades nothing." }),
  counts: z.boolean().meta({ description: "False: shown, and without influence on a simulation's verdict." }),
  scope: z.enum(["simulations", "production", "both"]).meta({ description: "Which conversations it grades." }),
  productionSampleRate: z.number().min(0).max(1).meta({
    description:
      "Share of production conversations that it grades, once they are final; the same ones whenever it is asked.",
  }),
};

/** How a project uses a grader; a change makes no version. */
export const GraderSettings = z.strictObject(settingsShape).meta({ id: "GraderSettings" });
export type GraderSettings = z.infer<typeof GraderSettings>;

const shippedTimestamp = timestamp().nullable().meta({ description: "Null for a grader that ships with the service." });

/** What decides over conversations, with its current version's definition and the project's settings. */
export const Grader = z
  .strictObject({
    id: id("grd"),
    projectId: id("prj").nullable().meta({ description: "Null for a grader that ships with the service." }),
    name: z.string(),
    source: z
      .enum(["shipped", "own"])
      .meta({ description: "`shipped` ones are in every project; each project has its own settings of them." }),
    version: versionNumber,
    versionId: id("grdv").meta({ description: "Immutable id of the current version; runs pin it." }),
    definition: GraderDefinition,
    ...settingsShape,
    archived: z.boolean(),
    archivedAt: timestamp().nullable(),
    createdAt: shippedTimestamp,
    updatedAt: shippedTimestamp,
  })
  .meta({ id: "Grader" });
export type Grader = z.infer<typeof Grader>;

/** A version, frozen when it was minted. */
export const GraderVersion = z
  .strictObject({
    id: id("grdv"),
    graderId: id("grd"),
    graderName: z.string().meta({ description: "The grader's present name; names are not versioned." }),
    version: versionNumber,
    current: z.boolean().meta({ description: "False when a later edit superseded this version." }),
    definition: GraderDefinition,
    createdAt: shippedTimestamp,
  })
  .meta({ id: "GraderVersion" });
export type GraderVersion = z.infer<typeof GraderVersion>;

/**
 * How a grader version's verdicts agree with what people say. Only labels of grades that passed or failed tell; null where
 * nothing does.
 */
export const GraderAgreement = z
  .strictObject({
    versionId: id("grdv"),
    version: versionNumber,
    labels: count("Labels of grades that passed or failed; each person's counts."),
    undecided: count("Labels of grades that were inconclusive, errored or not graded; they tell nothing here."),
    agreement: shareWhenKnown("Share of labels that say the same as the grader."),
    kappa: z.number().min(-1).max(1).nullable().meta({
      description: "Cohen's kappa: agreement beyond that of chance; null too when chance alone agrees always.",
    }),
    falsePass: shareWhenKnown("Of what people call failed, the share that the grader passed."),
    falseFail: shareWhenKnown("Of what people call passed, the share that the grader failed."),
  })
  .meta({ id: "GraderAgreement" });
export type GraderAgreement = z.infer<typeof GraderAgreement>;

const name = textUpTo(LIMITS.nameCharacters).meta({
  description: "Unique among the project's live graders and those that ship with the service.",
});
const changedSettings = GraderSettings.partial().shape;
const params = z.strictObject({ graderId: idInput("grd") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ grader: Grader });
const tag = "Graders";

export const graders = {
  /** Lists the project's own graders, newest first, and then those that ship with the service. */
  list: operation({
    method: "GET",
    path: "/v1/graders",
    summary: "List graders",
    tag,
    ...readsProject,
    query: z.strictObject({ projectId, ...pageQuery, archived }),
    status: 200,
    answer: z.strictObject({ graders: z.array(Grader), nextPageToken }),
  }),

  /**
   * Creates a grader and its version 1. By default it is enabled, counts, and grades simulations; with a scope that holds
   * production every conversation, unless `productionSampleRate` says less. A `check` in no form that code decides is
   * refused with 422 and the forms; so is one more than 50 live graders, with 409.
   */
  create: operation({
    method: "POST",
    path: "/v1/graders",
    summary: "Create a grader",
    description:
      "By default it is enabled, counts, and grades simulations; with a scope that holds production, every conversation.",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({ name, definition: GraderDefinition, ...changedSettings }),
    status: 201,
    answer,
    errors: ["name_taken", "conflict"],
  }),

  get: operation({
    method: "GET",
    path: "/v1/graders/{graderId}",
    summary: "Show a grader",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /**
   * Edits a grader. A changed definition mints the next version, which runs that begin from now on and the next production
   * conversations are graded by; the same definition, or a new name alone, mints none. A stale `expectedVersionId` is
   * refused with 409 `version_conflict`, whose `details` hold `expectedVersionId` and `currentVersionId`; one that is
   * archived or ships with the service with 409 `conflict`.
   */
  edit: operation({
    method: "PATCH",
    path: "/v1/graders/{graderId}",
    summary: "Edit a grader",
    description:
      "A changed definition mints the next version; the same definition, or a new name alone, mints none. Runs that began keep the version that they pinned.",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({
      expectedVersionId: idInput("grdv"),
      name: name.optional(),
      definition: GraderDefinition.optional(),
    }),
    status: 200,
    answer,
    errors: ["name_taken", "version_conflict", "conflict"],
  }),

  /** Changes how the project uses a grader, its own or one that ships with the service; what is not sent stays. */
  configure: operation({
    method: "PATCH",
    path: "/v1/graders/{graderId}/settings",
    summary: "Change how a project uses a grader",
    description: "Of its own or of one that ships with the service; what is not sent stays. It makes no version.",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject(changedSettings),
    status: 200,
    answer,
    errors: ["conflict"],
  }),

  /** Lists a grader's versions, newest first. */
  versions: operation({
    method: "GET",
    path: "/v1/graders/{graderId}/versions",
    summary: "List a grader's versions",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({ projectId, ...pageQuery }),
    status: 200,
    answer: z.strictObject({ versions: z.array(GraderVersion), nextPageToken }),
  }),

  /** Archives a grader: it grades nothing from now on, and its grades stay. One that is archived is returned as it is. */
  archive: operation({
    method: "POST",
    path: "/v1/graders/{graderId}/archive",
    summary: "Archive a grader",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer,
    errors: ["conflict"],
  }),

  /** Brings an archived grader back; send a `name` when another took its own. A live one is returned as it is. */
  restore: operation({
    method: "POST",
    path: "/v1/graders/{graderId}/restore",
    summary: "Restore a grader",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({ name: name.optional() }),
    status: 200,
    answer,
    errors: ["name_taken", "conflict"],
  }),

  /** Tells how each version's verdicts agree with what people say: the current version, and those that were labeled. */
  agreement: operation({
    method: "GET",
    path: "/v1/graders/{graderId}/agreement",
    summary: "Show how a grader agrees with people",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer: z.strictObject({
      versions: z
        .array(GraderAgreement)
        .meta({ description: "Newest first; at most the newest 200 that were labeled." }),
    }),
  }),
};

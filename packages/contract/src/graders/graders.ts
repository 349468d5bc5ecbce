import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { versionNumber } from "../core/numbers.ts";
import {
  archiveOperation,
  createOperation,
  editOperation,
  getOperation,
  listOperation,
  restoreOperation,
} from "../core/resource-operations.ts";
import { archived, projectId, yesOrNo } from "../core/selection.ts";
import { nameText } from "../core/texts.ts";
import { GraderAgreement } from "./agreement.ts";
import { GraderDefinition } from "./definition.ts";
import { LabeledGrade } from "./labels.ts";

const settingsShape = {
  enabled: z.boolean().meta({ description: "`false`: the grader grades nothing." }),
  counts: z
    .boolean()
    .meta({ description: "`false`: the grades are shown but do not influence the simulation's verdict." }),
  scope: z
    .enum(["simulations", "production", "both"])
    .meta({ description: "Kind of conversations that the grader grades." }),
  productionSampleRate: z.number().min(0).max(1).meta({
    description:
      "Share of the production conversations that the grader grades after they have ended. The choice depends only on the conversation and the grader version.",
  }),
};

/** Settings of a grader in a project. A change of the settings creates no version of the grader. */
export const GraderSettings = z.strictObject(settingsShape).meta({ id: "GraderSettings" });
export type GraderSettings = z.infer<typeof GraderSettings>;

const shippedTimestamp = timestamp().nullable().meta({ description: "Null for a grader that ships with the service." });

/** Grader with the definition of its current version and the project's settings. */
export const Grader = z
  .strictObject({
    id: id("grd"),
    projectId: id("prj").nullable().meta({ description: "Null for a grader that ships with the service." }),
    name: z.string(),
    source: z.enum(["shipped", "own"]).meta({
      description: "`shipped`: part of every project, with settings per project. `own`: created in the project.",
    }),
    version: versionNumber,
    versionId: id("grdv").meta({ description: "Immutable id of the current version. Runs pin this id." }),
    definition: GraderDefinition,
    ...settingsShape,
    archived: z.boolean(),
    archivedAt: timestamp().nullable(),
    createdAt: shippedTimestamp,
    updatedAt: shippedTimestamp,
  })
  .meta({ id: "Grader" });
export type Grader = z.infer<typeof Grader>;

/** Immutable version of a grader. */
export const GraderVersion = z
  .strictObject({
    id: id("grdv"),
    graderId: id("grd"),
    graderName: z.string().meta({ description: "Current name of the grader. Names have no versions." }),
    version: versionNumber,
    current: z.boolean().meta({ description: "`false` when a later edit replaced this version." }),
    definition: GraderDefinition,
    createdAt: shippedTimestamp,
  })
  .meta({ id: "GraderVersion" });
export type GraderVersion = z.infer<typeof GraderVersion>;

const name = nameText().meta({
  description: "Unique among the project's live graders and the graders that ship with the service.",
});
const changedSettings = GraderSettings.partial().shape;

const all = {
  tag: "Graders",
  path: "/v1/graders",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ grader: Grader }),
} as const;
const one = {
  ...all,
  path: "/v1/graders/{graderId}",
  resource: "grader",
  params: z.strictObject({ graderId: idInput("grd") }),
} as const;

/** Graders of a project: its own graders, and the graders that ship with the service. */
export const graders = {
  /** Lists the project's own graders, newest first, and then the graders that ship with the service. */
  list: listOperation({ ...all, summary: "List graders", items: { graders: Grader }, filters: { archived } }),

  /**
   * Creates a grader with version 1. By default the grader is enabled, its grades count, and it grades simulations. When the scope
   * of a grader includes production, the grader grades the share `productionSampleRate` of the production conversations; the
   * default is all conversations.
   *
   * Answers 422 when a `check` has no form that code decides, and 409 `conflict` when the project already has 50 live graders.
   */
  create: createOperation({
    ...all,
    summary: "Create a grader",
    description:
      "By default, the grader is enabled, its grades count, and it grades simulations. With a scope that includes production, it grades every production conversation unless `productionSampleRate` is below 1.",
    body: z.strictObject({ name, definition: GraderDefinition, ...changedSettings }),
    errors: ["name_taken", "conflict"],
  }),

  /** Returns a grader, live or archived, with its current version and the project's settings. */
  get: getOperation({ ...one, summary: "Show a grader" }),

  /**
   * Edits a grader. A changed definition creates the next version, which applies to later runs and to later production
   * conversations. An unchanged definition, or only a new name, creates no version.
   *
   * Answers 409 `version_conflict` when `expectedVersionId` is not the current version; `details` then contains
   * `expectedVersionId`, `currentVersionId` and the `current` grader. Answers 409 `conflict` when the grader is archived or ships
   * with the service.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a grader",
    description:
      "A changed definition creates the next version. An unchanged definition, or only a new name, creates no version. Runs keep the version that was current when they started.",
    body: z.strictObject({
      expectedVersionId: idInput("grdv"),
      name: name.optional(),
      definition: GraderDefinition.optional(),
    }),
    errors: ["name_taken", "version_conflict", "conflict"],
  }),

  /** Changes the given settings of a grader in the project. The grader may be the project's own or one that ships with the service. */
  configure: editOperation({
    ...one,
    path: "/v1/graders/{graderId}/settings",
    summary: "Change how a project uses a grader",
    description:
      "Changes the given settings of a grader in this project. The grader may be the project's own or one that ships with the service. A change of the settings creates no version.",
    body: z.strictObject(changedSettings),
    errors: ["conflict"],
  }),

  /** Lists a grader's versions, newest first. */
  versions: listOperation({
    ...one,
    path: "/v1/graders/{graderId}/versions",
    summary: "List a grader's versions",
    items: { versions: GraderVersion },
  }),

  /** Archives a grader, which then grades nothing. Its grades stay stored. Returns an already archived grader unchanged. */
  archive: archiveOperation({ ...one, summary: "Archive a grader", errors: ["conflict"] }),

  /**
   * Restores an archived grader. Returns a live grader unchanged. Answers 409 `name_taken` when another live grader, or one that
   * ships with the service, has the name; a new `name` in the body avoids this.
   */
  restore: restoreOperation({
    ...one,
    summary: "Restore a grader",
    body: z.strictObject({ name: name.optional() }),
    errors: ["name_taken", "conflict"],
  }),

  /**
   * Returns how far the grader agrees with people's labels, for the current version and at most 200 labeled versions. A version has one
   * entry for each judge whose grades are labeled, and at least one entry.
   */
  agreement: getOperation({
    ...one,
    path: "/v1/graders/{graderId}/agreement",
    summary: "Show how far a grader agrees with people",
    answer: z.strictObject({
      versions: z.array(GraderAgreement).meta({
        description:
          "The current version and at most 200 labeled versions, newest first. A version has one entry for each judge whose grades are labeled, and at least one entry.",
      }),
    }),
  }),

  /** Returns the newest 200 labels on a grader's grades, with the verdict and the conversation of each grade. */
  labels: getOperation({
    ...one,
    path: "/v1/graders/{graderId}/labels",
    summary: "List a grader's labels",
    query: z.strictObject({
      projectId,
      agrees: yesOrNo.optional().meta({
        description:
          "`false`: only labels that differ from the verdict of the grade. `true`: only labels that are equal to it.",
      }),
    }),
    answer: z.strictObject({ labels: z.array(LabeledGrade).max(LIMITS.labelsShown) }),
  }),
};

import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { GraderAgreement } from "./agreement.ts";
import { GraderDefinition } from "./definition.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { versionNumber } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { archived, projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

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

const name = textUpTo(LIMITS.nameCharacters).meta({
  description: "Unique among the project's live graders and those that ship with the service.",
});
const changedSettings = GraderSettings.partial().shape;
const params = z.strictObject({ graderId: idInput("grd") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ grader: Grader });
const tag = "Graders";

/** The project's graders, and those that ship with the service. */
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

  /** Answers a grader, archived or not, with its current version and the project's settings. */
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

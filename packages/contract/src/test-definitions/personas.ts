import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { versionNumber } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { PersonaModels, PersonaTraits } from "./persona-content.ts";
import { archived, projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

const shippedTimestamp = timestamp()
  .nullable()
  .meta({ description: "Null for a persona that ships with the service." });

/** Who calls in a simulation, with its current version's content. Shipped ones are the same in every project. */
export const Persona = z
  .strictObject({
    id: id("prs"),
    projectId: id("prj").nullable().meta({ description: "Null for a persona that ships with the service." }),
    name: z.string(),
    source: z.enum(["shipped", "own"]).meta({ description: "`shipped` ones cannot be changed; fork them." }),
    isDefault: z.boolean().meta({ description: "Calls in the project's tests that name no persona." }),
    version: versionNumber,
    versionId: id("prsv").meta({ description: "Immutable id of the current version; runs pin it." }),
    traits: PersonaTraits,
    models: PersonaModels,
    archived: z.boolean(),
    archivedAt: timestamp().nullable(),
    createdAt: shippedTimestamp,
    updatedAt: shippedTimestamp,
  })
  .meta({ id: "Persona" });

/** A version, frozen when it was minted. */
export const PersonaVersion = z
  .strictObject({
    id: id("prsv"),
    personaId: id("prs"),
    personaName: z.string().meta({ description: "The persona's present name; names are not versioned." }),
    version: versionNumber,
    current: z.boolean().meta({ description: "False when a later edit superseded this version." }),
    traits: PersonaTraits,
    models: PersonaModels,
    createdAt: shippedTimestamp,
  })
  .meta({ id: "PersonaVersion" });

const name = textUpTo(LIMITS.nameCharacters).meta({
  description: "Unique among the project's live personas and those that ship with the service.",
});
const params = z.strictObject({ personaId: idInput("prs") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ persona: Persona });
const tag = "Personas";

/** The project's personas, and those that ship with the service. */
export const personas = {
  /** Lists the project's own personas, newest first, and then those that ship with the service. */
  list: operation({
    method: "GET",
    path: "/v1/personas",
    summary: "List personas",
    tag,
    ...readsProject,
    query: z.strictObject({
      projectId,
      ...pageQuery,
      search: textUpTo(LIMITS.searchCharacters).optional().meta({ description: "Part of the name, in either case." }),
      archived,
    }),
    status: 200,
    answer: z.strictObject({ personas: z.array(Persona), nextPageToken }),
  }),

  /** Creates a persona and its version 1. What the chosen models cannot do is refused with 422 and the reason. */
  create: operation({
    method: "POST",
    path: "/v1/personas",
    summary: "Create a persona",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({ name, traits: PersonaTraits.optional(), models: PersonaModels.optional() }),
    status: 201,
    answer,
    errors: ["name_taken"],
  }),

  /** Answers a persona, archived or not, with its current version. */
  get: operation({
    method: "GET",
    path: "/v1/personas/{personaId}",
    summary: "Show a persona",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /**
   * Edits a persona; `traits` and `models` are each replaced as a whole. A change of content mints the next version; the
   * same content, or a new name alone, does not. A stale `expectedVersionId` is refused with 409 `version_conflict`,
   * whose `details` hold `expectedVersionId` and `currentVersionId`; one that is archived or ships with the service with
   * 409 `conflict`.
   */
  edit: operation({
    method: "PATCH",
    path: "/v1/personas/{personaId}",
    summary: "Edit a persona",
    description:
      "`traits` and `models` are each replaced as a whole. A change of content mints the next version; the same content, or a new name alone, does not.",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({
      expectedVersionId: idInput("prsv"),
      name: name.optional(),
      traits: PersonaTraits.optional(),
      models: PersonaModels.optional(),
    }),
    status: 200,
    answer,
    errors: ["name_taken", "version_conflict", "conflict"],
  }),

  /** Lists a persona's versions, newest first. */
  versions: operation({
    method: "GET",
    path: "/v1/personas/{personaId}/versions",
    summary: "List a persona's versions",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({ projectId, ...pageQuery }),
    status: 200,
    answer: z.strictObject({ versions: z.array(PersonaVersion), nextPageToken }),
  }),

  /** Answers a version, superseded or not. */
  version: operation({
    method: "GET",
    path: "/v1/persona-versions/{versionId}",
    summary: "Show a persona version",
    tag,
    ...readsProject,
    params: z.strictObject({ versionId: idInput("prsv") }),
    query,
    status: 200,
    answer: z.strictObject({ version: PersonaVersion }),
  }),

  /** Archives a persona: no test can name it from now on; tests that do keep it. One that is archived is returned as it is. */
  archive: operation({
    method: "POST",
    path: "/v1/personas/{personaId}/archive",
    summary: "Archive a persona",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer,
    errors: ["conflict"],
  }),

  /** Brings an archived persona back; send a `name` when another took its own. A live one is returned as it is. */
  restore: operation({
    method: "POST",
    path: "/v1/personas/{personaId}/restore",
    summary: "Restore a persona",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({ name: name.optional() }),
    status: 200,
    answer,
    errors: ["name_taken"],
  }),

  /** Makes a persona of the project from the current content of one of its own or a shipped one. */
  fork: operation({
    method: "POST",
    path: "/v1/personas/{personaId}/fork",
    summary: "Copy a persona",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({ name }),
    status: 201,
    answer,
    errors: ["name_taken"],
  }),

  /** Lists the tests whose current version names the persona, newest first; tests that name none call the default one. */
  usage: operation({
    method: "GET",
    path: "/v1/personas/{personaId}/usage",
    summary: "List the tests that name a persona",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({ projectId, ...pageQuery }),
    status: 200,
    answer: z.strictObject({
      tests: z.array(z.strictObject({ id: id("tst"), suiteId: id("ste"), name: z.string(), versionId: id("tstv") })),
      nextPageToken,
    }),
  }),

  /** Makes it the persona that calls in the project's tests that name none. */
  makeDefault: operation({
    method: "PUT",
    path: "/v1/personas/{personaId}/default",
    summary: "Make a persona the project's default",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer,
    errors: ["conflict"],
  }),
};

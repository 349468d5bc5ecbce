import { z } from "zod";
import { writesProject } from "../core/access.ts";
import { audioAnswer } from "../core/audio-answer.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { versionNumber } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import {
  archiveOperation,
  createOperation,
  editOperation,
  getOperation,
  listOperation,
  restoreOperation,
} from "../core/resource-operations.ts";
import { archived, projectId } from "../core/selection.ts";
import { nameText, textUpTo } from "../core/texts.ts";
import { PersonaModels, PersonaTraits } from "./persona-content.ts";

const shippedTimestamp = timestamp()
  .nullable()
  .meta({ description: "Null for a persona that ships with the service." });

/** Persona (the character that the caller plays in simulations), with the content of its current version. */
export const Persona = z
  .strictObject({
    id: id("prs"),
    projectId: id("prj").nullable().meta({ description: "Null for a persona that ships with the service." }),
    name: z.string(),
    source: z.enum(["shipped", "own"]).meta({
      description:
        "`shipped`: part of every project and read-only; fork it to change it. `own`: created in the project.",
    }),
    isDefault: z
      .boolean()
      .meta({ description: "Whether this persona plays the project's tests that name no persona." }),
    version: versionNumber,
    versionId: id("prsv").meta({ description: "Immutable id of the current version. Runs pin this id." }),
    traits: PersonaTraits,
    models: PersonaModels,
    archived: z.boolean(),
    archivedAt: timestamp().nullable(),
    createdAt: shippedTimestamp,
    updatedAt: shippedTimestamp,
  })
  .meta({ id: "Persona" });

/** Immutable version of a persona. */
export const PersonaVersion = z
  .strictObject({
    id: id("prsv"),
    personaId: id("prs"),
    personaName: z.string().meta({ description: "Current name of the persona. Names have no versions." }),
    version: versionNumber,
    current: z.boolean().meta({ description: "`false` when a later edit replaced this version." }),
    traits: PersonaTraits,
    models: PersonaModels,
    createdAt: shippedTimestamp,
  })
  .meta({ id: "PersonaVersion" });

const name = nameText().meta({
  description: "Unique among the project's live personas and the personas that ship with the service.",
});

const all = {
  tag: "Personas",
  path: "/v1/personas",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ persona: Persona }),
} as const;
const one = {
  ...all,
  path: "/v1/personas/{personaId}",
  resource: "persona",
  params: z.strictObject({ personaId: idInput("prs") }),
} as const;

/** Personas of a project: its own personas, and the personas that ship with the service. */
export const personas = {
  /** Lists the project's own personas, newest first, and then the personas that ship with the service. */
  list: listOperation({
    ...all,
    summary: "List personas",
    items: { personas: Persona },
    filters: {
      search: textUpTo(LIMITS.searchCharacters)
        .optional()
        .meta({ description: "Text to find in the name, ignoring case." }),
      archived,
    },
  }),

  /** Creates a persona with version 1. Answers 422, with the reason, when the chosen models do not support a trait. */
  create: createOperation({
    ...all,
    summary: "Create a persona",
    body: z.strictObject({ name, traits: PersonaTraits.optional(), models: PersonaModels.optional() }),
    errors: ["name_taken"],
  }),

  /** Returns a persona, live or archived, with its current version. */
  get: getOperation({ ...one, summary: "Show a persona" }),

  /**
   * Edits a persona. `traits` and `models` each replace the whole former value. Changed content creates the next version. Unchanged
   * content, or only a new name, creates no version.
   *
   * Answers 409 `version_conflict` when `expectedVersionId` is not the current version; `details` then contains
   * `expectedVersionId`, `currentVersionId` and the `current` persona. Answers 409 `conflict` when the persona is archived or ships
   * with the service.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a persona",
    description:
      "`traits` and `models` each replace the whole former value. Changed content creates the next version. Unchanged content, or only a new name, creates no version.",
    body: z.strictObject({
      expectedVersionId: idInput("prsv"),
      name: name.optional(),
      traits: PersonaTraits.optional(),
      models: PersonaModels.optional(),
    }),
    errors: ["name_taken", "version_conflict", "conflict"],
  }),

  /**
   * Returns a few seconds of the persona's voice with its background noise, as a stream of WAV bytes: 16-bit, mono, 16 kHz. Answers
   * 422, with the remedy, when no voice can play the persona. Answers 503 when the provider of the voice does not answer.
   */
  voiceSample: getOperation({
    ...one,
    ...audioAnswer,
    path: "/v1/personas/{personaId}/voice-sample",
    audit: { leftOut: "The voice is synthetic and says a fixed sentence." },
    summary: "Play a sample of a persona's voice",
    description:
      "A WAV file with 16-bit samples, mono at 16 kHz: one sentence in the persona's language, with its speed, volume and background noise. A persona without a speech synthesis model speaks with a built-in voice. The answer has an `ETag`, and a request may select a range of bytes.",
    errors: [...audioAnswer.errors, "unprocessable", "provider_unavailable"],
  }),

  /** Lists a persona's versions, newest first. */
  versions: listOperation({
    ...one,
    path: "/v1/personas/{personaId}/versions",
    summary: "List a persona's versions",
    items: { versions: PersonaVersion },
  }),

  /** Returns a version of a persona, current or replaced. */
  version: getOperation({
    ...all,
    path: "/v1/persona-versions/{versionId}",
    summary: "Show a persona version",
    resource: "personaVersion",
    params: z.strictObject({ versionId: idInput("prsv") }),
    answer: z.strictObject({ version: PersonaVersion }),
  }),

  /**
   * Archives a persona. New tests, and edits of tests, cannot name an archived persona; existing tests still use it. Returns an
   * already archived persona unchanged.
   */
  archive: archiveOperation({ ...one, summary: "Archive a persona", errors: ["conflict"] }),

  /**
   * Restores an archived persona. Returns a live persona unchanged. Answers 409 `name_taken` when another live persona, or one that
   * ships with the service, has the name; a new `name` in the body avoids this.
   */
  restore: restoreOperation({
    ...one,
    summary: "Restore a persona",
    body: z.strictObject({ name: name.optional() }),
    errors: ["name_taken"],
  }),

  /** Creates a persona of the project with the current content of another persona, own or shipped. */
  fork: createOperation({
    ...one,
    path: "/v1/personas/{personaId}/fork",
    summary: "Copy a persona",
    body: z.strictObject({ name }),
    errors: ["name_taken"],
  }),

  /**
   * Lists the tests whose current version names the persona, newest first. Tests that name no persona are not in the list, even when
   * the persona is the project's default.
   */
  usage: listOperation({
    ...one,
    path: "/v1/personas/{personaId}/usage",
    summary: "List the tests that name a persona",
    items: {
      tests: z.strictObject({ id: id("tst"), suiteId: id("ste"), name: z.string(), versionId: id("tstv") }),
    },
  }),

  /** Makes a persona the project's default. The default persona plays the tests that name no persona. */
  makeDefault: operation({
    ...one,
    ...writesProject,
    method: "PUT",
    path: "/v1/personas/{personaId}/default",
    summary: "Make a persona the project's default",
    status: 200,
    errors: ["conflict"],
  }),
};

import { z } from "zod";

/** Returns the schema of an integer ≥ 0. */
export const count = (description?: string) =>
  z
    .int()
    .min(0)
    .meta({ ...(description !== undefined && { description }), override: { type: "integer", minimum: 0 } });

/** Returns the schema of a share from 0 to 1. The share is null when it cannot be computed. */
export const shareWhenKnown = (description: string) => z.number().min(0).max(1).nullable().meta({ description });

/** Returns the schema of an integer ≥ 1. */
export const positive = (description?: string) =>
  z
    .int()
    .min(1)
    .meta({ ...(description !== undefined && { description }), override: { type: "integer", minimum: 1 } });

/** Schema of a record's revision in an answer. */
export const revision = positive("Grows with every change of the record. Send it as `expectedRevision` with an edit.");

/** Schema of the revision in the request of an edit: the revision that the author of the edit read. */
export const expectedRevision = positive(
  "Revision that you read. When the record has another revision by now, the edit gets 409 `version_conflict`.",
).optional();

/** Schema of a resource's version number. The first version is 1. */
export const versionNumber = positive("Version number, starting at 1.");

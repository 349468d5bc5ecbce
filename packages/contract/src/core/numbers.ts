import { z } from "zod";

/** Returns the schema of an integer ≥ 0. */
export const count = (description?: string) =>
  z
    .int()
    .min(0)
    .meta({ ...(description !== undefined && { description }), override: { type: "integer", minimum: 0 } });

/** Returns the schema of a share from 0 to 1; null when the total is zero. */
export const shareWhenKnown = (description: string) => z.number().min(0).max(1).nullable().meta({ description });

/** Returns the schema of an integer ≥ 1. */
export const positive = (description?: string) =>
  z
    .int()
    .min(1)
    .meta({ ...(description !== undefined && { description }), override: { type: "integer", minimum: 1 } });

/** Number of a record's changes, in an answer. */
export const revision = positive("Grows with every change of the record. Send it as `expectedRevision` with an edit.");

/** The revision of the record that the author of an edit saw, in a request. */
export const expectedRevision = positive(
  "Revision that you read. The edit is refused with 409 `version_conflict` when the record has another revision meanwhile.",
).optional();

/** Version number of one resource; its first version is 1. */
export const versionNumber = positive("Version number, starting at 1.");

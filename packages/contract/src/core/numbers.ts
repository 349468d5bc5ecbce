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

/** Version number of one resource; its first version is 1. */
export const versionNumber = positive("Version number, starting at 1.");

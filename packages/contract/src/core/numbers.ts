import { z } from "zod";

/** A whole number from 0 on. */
export const count = (description?: string) =>
  z
    .int()
    .min(0)
    .meta({ ...(description !== undefined && { description }), override: { type: "integer", minimum: 0 } });

/** A part of a whole, from 0 to 1; null when the whole is empty. */
export const shareWhenKnown = (description: string) => z.number().min(0).max(1).nullable().meta({ description });

/** A whole number from 1 on. */
export const positive = (description?: string) =>
  z
    .int()
    .min(1)
    .meta({ ...(description !== undefined && { description }), override: { type: "integer", minimum: 1 } });

/** The number of a version, counted anew for each thing that has versions. */
export const versionNumber = positive("1, 2, 3 …");

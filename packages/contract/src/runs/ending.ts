import { z } from "zod";
import { ENDING_REASONS, type EndingReason } from "./vocabulary.ts";

/** The reason for which a simulation ended; null before the end. */
export const endingReason = z
  .enum(Object.keys(ENDING_REASONS) as [EndingReason, ...EndingReason[]])
  .nullable()
  .meta({
    description: `Reason for the end, with the party that caused it; null before the end. ${Object.entries(
      ENDING_REASONS,
    )
      .map(([reason, { by, meaning }]) => `\`${reason}\` (${by}): ${meaning}`)
      .join(" ")}`,
  });

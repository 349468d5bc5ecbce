import { z } from "zod";
import { ENDING_REASON_NAMES, ENDING_REASONS } from "./vocabulary.ts";

/** Schema of the reason why a simulation ended; null before the end. */
export const endingReason = z
  .enum(ENDING_REASON_NAMES)
  .nullable()
  .meta({
    description: `Reason for the end, with the party that caused it; null before the end. ${Object.entries(
      ENDING_REASONS,
    )
      .map(([reason, { by, meaning }]) => `\`${reason}\` (${by}): ${meaning}`)
      .join(" ")}`,
  });

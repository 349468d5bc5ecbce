import { z } from "zod";
import { ENDING_REASON_NAMES, ENDING_REASONS } from "./vocabulary.ts";

/** Schema of the reason why a simulation ended; null before the end. */
export const endingReason = z
  .enum(ENDING_REASON_NAMES)
  .nullable()
  .meta({
    description: `Why the simulation ended; null before its end. In this list, the party that caused the end is in parentheses. ${Object.entries(
      ENDING_REASONS,
    )
      .map(([reason, { by, meaning }]) => `\`${reason}\` (${by}): ${meaning}`)
      .join(" ")}`,
  });

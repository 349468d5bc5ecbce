import { z } from "zod";
import { ENDING_REASONS, type EndingReason } from "./vocabulary.ts";

/** Why a simulation ended; null before. */
export const endingReason = z
  .enum(Object.keys(ENDING_REASONS) as [EndingReason, ...EndingReason[]])
  .nullable()
  .meta({
    description: `Why it ended; null before. ${Object.entries(ENDING_REASONS)
      .map(([reason, { by, meaning }]) => `\`${reason}\` (${by}): ${meaning}`)
      .join(" ")}`,
  });

import { z } from "zod";
import { snakeCased } from "../core/snake-case.ts";

const shape = {
  behavior: z.string().meta({ description: "The expected behavior, as it was written." }),
  decidedBy: z.enum(["check", "judge", "nobody"]).meta({
    description:
      "`check`: code decides. `judge`: a language model decides. `nobody`: the sentence cannot be read, or it needs a judge and the service has none; its verdict will be `not_graded`. In a plan also a behavior that needs sound over a connection without; its verdict will be `inconclusive`.",
  }),
  form: z.string().nullable().meta({ description: "Name of the form that code read; null without a form." }),
  reading: z.string().meta({ description: "One sentence that says how the service understands the behavior." }),
  suggestion: z
    .string()
    .nullable()
    .meta({ description: "An example of the nearest form, for a sentence that is nearly a form." }),
  problem: z.string().nullable().meta({
    description:
      "Correction of a sentence that cannot be read. Null for any other sentence. New tests and edits refuse a sentence with a problem.",
  }),
};

/** Reading of an expected behavior: how the service understands the sentence, and who decides it. */
export const BehaviorReading = z.strictObject(shape).meta({ id: "BehaviorReading" });
export type BehaviorReading = z.infer<typeof BehaviorReading>;

/** Reading in answers of `/api` operations, with field names in snake_case. */
export const ApiBehaviorReading = z.strictObject(snakeCased(shape)).meta({ id: "ApiBehaviorReading" });
export type ApiBehaviorReading = z.infer<typeof ApiBehaviorReading>;

import { z } from "zod";
import { snakeCased } from "../core/snake-case.ts";

const shape = {
  behavior: z.string().meta({ description: "The expected behavior, as it was written." }),
  decidedBy: z.enum(["check", "judge", "nobody"]).meta({
    description:
      "`check`: code decides. `judge`: a language model decides. `nobody`: the sentence cannot be read, or it needs a judge and the service has none; its verdict will be `not_graded`. In the plan of a run, `nobody` also marks a behavior that needs sound when the connection has none; its verdict will be `inconclusive`.",
  }),
  form: z.string().nullable().meta({
    description: "Name of the sentence form that code recognized; null when the sentence has none of the forms.",
  }),
  reading: z.string().meta({ description: "One sentence that says how the service understands the behavior." }),
  suggestion: z.string().nullable().meta({
    description:
      "An example of the most similar form, for a sentence that nearly has one of the forms; null for any other sentence.",
  }),
  problem: z.string().nullable().meta({
    description:
      "Correction of a sentence that cannot be read. Null for any other sentence. The service refuses new tests, and edits of tests, with such a sentence.",
  }),
};

/** How the service understands the sentence of an expected behavior, and who decides it. */
export const BehaviorReading = z.strictObject(shape).meta({ id: "BehaviorReading" });
export type BehaviorReading = z.infer<typeof BehaviorReading>;

/** `BehaviorReading` in answers of `/api` operations, with field names in snake_case. */
export const ApiBehaviorReading = z.strictObject(snakeCased(shape)).meta({ id: "ApiBehaviorReading" });
export type ApiBehaviorReading = z.infer<typeof ApiBehaviorReading>;

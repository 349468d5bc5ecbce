import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { MEASURE_NAMES, PROVENANCES, UNITS } from "./measures.ts";
import { count } from "../core/numbers.ts";

const known = (description: string) => z.number().nullable().meta({ description });

/** One raw value of a measure; percentiles over several conversations pool these and never average. */
export const Sample = z
  .strictObject({
    value: z.number(),
    provenance: z.enum(["measured", "provider_reported", "approximate"]),
    turnIndex: count().nullable().meta({ description: "The turn that it belongs to; null when to none." }),
    at: timestamp(),
  })
  .meta({ id: "Sample", description: "One raw value of a measure." });
export type Sample = z.infer<typeof Sample>;

/** One measure of one conversation; what it means is in `MEASURES`. */
export const Measure = z
  .strictObject({
    name: z.enum(MEASURE_NAMES),
    unit: z.enum(UNITS),
    provenance: z.enum(PROVENANCES).meta({ description: "The weakest of the samples'." }),
    reason: z.string().nullable().meta({ description: "Why it is unavailable, in a sentence; else null." }),
    missing: count("Occasions whose value is not known, which are not among the samples."),
    samples: z.array(Sample),
    summary: z.strictObject({
      n: count("Number of samples."),
      sum: known("Null when unavailable."),
      mean: known("Null without a sample."),
      min: known("Null without a sample."),
      max: known("Null without a sample."),
      p50: known("Nearest rank; null below 5 samples."),
      p95: known("Nearest rank; null below 20 samples."),
    }),
  })
  .meta({ id: "Measure", description: "One measure of one conversation. Not known is unavailable, never 0." });
export type Measure = z.infer<typeof Measure>;

import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { MEASURE_NAMES, UNITS } from "./measures.ts";
import { PROVENANCES, SAMPLE_PROVENANCES } from "./provenances.ts";

const number = (description: string) => z.number().nullable().meta({ description });

/** Sample: one raw value of a measure. Percentiles over several conversations are computed from all samples, never from percentiles. */
export const Sample = z
  .strictObject({
    value: z.number(),
    provenance: z.enum(SAMPLE_PROVENANCES),
    turnIndex: count().nullable().meta({ description: "Index of the sample's turn; null when it belongs to no turn." }),
    at: timestamp(),
  })
  .meta({ id: "Sample", description: "One raw value of a measure." });
export type Sample = z.infer<typeof Sample>;

/** Measure of one conversation. `MEASURES` defines each measure. */
export const Measure = z
  .strictObject({
    name: z.enum(MEASURE_NAMES),
    unit: z.enum(UNITS),
    provenance: z.enum(PROVENANCES).meta({ description: "Weakest provenance of the samples." }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why the measure is unavailable, in one sentence; null when it is available." }),
    missing: count(
      "Number of events, such as agent turns, without a sample, because the value is unknown or the platform reports only a summary.",
    ),
    samples: z.array(Sample),
    summary: z.strictObject({
      n: count("Number of samples. When the platform reports only a summary, the number of values in it."),
      sum: number("Null when the measure is unavailable, and when the platform reports only a summary."),
      mean: number("Null without samples."),
      min: number("Null without samples."),
      max: number("Null without samples."),
      p50: number("Median by nearest rank; null below 5 samples."),
      p95: number("95th percentile by nearest rank; null below 20 samples."),
    }),
  })
  .meta({ id: "Measure", description: "One measure of one conversation. An unknown value is unavailable, never 0." });
export type Measure = z.infer<typeof Measure>;

import { z } from "zod";
import { count } from "../core/numbers.ts";

/** At most this many unmapped keys are named. */
export const UNMAPPED_KEYS_SHOWN = 20;

const QUALITY_TOPICS = [
  "vocabulary",
  "generation",
  "units",
  "content",
  "root",
  "late_spans",
  "unmapped_keys",
  "truncated",
] as const;

/** How far the conversation's spans can be trusted, and what to know before its measures are read. */
export const Quality = z
  .strictObject({
    generation: z.string().nullable().meta({ description: "Of the vocabulary's names; null when nothing tells." }),
    language: z
      .enum(["python", "javascript"])
      .nullable()
      .meta({ description: "Of the sender; null when nothing tells." }),
    unitsInferred: z
      .array(
        z.strictObject({
          attribute: z.string(),
          unit: z.enum(["milliseconds", "seconds"]),
          by: z.enum(["span_times", "names", "size"]).meta({
            description: "What told the unit: the times of spans, the names beside it, or only its size.",
          }),
        }),
      )
      .meta({ description: "Times whose unit nothing stated." }),
    contentWithheld: z
      .boolean()
      .nullable()
      .meta({ description: "No text, argument or result was sent; null when there is nothing that could have any." }),
    turnsWithoutText: count(),
    rootMissing: z.boolean().meta({ description: "The span of the whole conversation has not arrived." }),
    lateSpans: z.boolean().nullable().meta({
      description:
        "Spans came more than a minute after the conversation's end; null until the root span has ended, before which no end is known, and when the call was fetched after it.",
    }),
    unmappedKeyCount: count("Different keys of the vocabulary's family that are not known."),
    unmappedKeys: z
      .array(z.strictObject({ key: z.string(), count: count() }))
      .max(UNMAPPED_KEYS_SHOWN)
      .meta({ description: `The most frequent ${UNMAPPED_KEYS_SHOWN} of them, long ones cut short.` }),
    notes: z
      .array(z.strictObject({ about: z.enum(QUALITY_TOPICS), sentence: z.string() }))
      .meta({ description: "What is not as it should be, a sentence each; empty when all is well." }),
  })
  .meta({ id: "Quality", description: "How far the conversation's spans can be trusted." });
export type Quality = z.infer<typeof Quality>;

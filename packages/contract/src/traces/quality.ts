import { z } from "zod";
import { count } from "../core/numbers.ts";
import { UNMAPPED_KEYS_SHOWN } from "./bounds.ts";
import { QUALITY_TOPICS } from "./quality-topics.ts";

/** Data quality of a conversation: whether its spans are complete, whether the service understands them, and what limits its measures. */
export const Quality = z
  .strictObject({
    generation: z.string().nullable().meta({
      description:
        "Generation of the sender's attribute names, which change with versions of the sender; null when unknown.",
    }),
    language: z
      .enum(["python", "javascript"])
      .nullable()
      .meta({ description: "Programming language of the sender; null when unknown." }),
    unitsInferred: z
      .array(
        z.strictObject({
          attribute: z.string(),
          unit: z.enum(["milliseconds", "seconds"]),
          by: z.enum(["span_times", "names", "size"]).meta({
            description:
              "How the unit was inferred: from span times, from the names of other attributes, or only from the size of the value.",
          }),
        }),
      )
      .meta({ description: "Attributes with a time whose unit the sender did not state." }),
    contentWithheld: z.boolean().nullable().meta({
      description: "Whether the sender withheld all texts, arguments and results; null when no span could contain any.",
    }),
    turnsWithoutText: count(),
    rootMissing: z.boolean().meta({ description: "Whether the root span of the conversation is missing." }),
    lateSpans: z.boolean().nullable().meta({
      description:
        "Whether spans arrived more than a minute after the conversation's end. Null until the root span has ended, and for an imported call.",
    }),
    spansWithoutContent: count("Number of spans whose content the service has lost through damage of its storage."),
    impossibleTimes: count(
      "Number of times and values of measures that cannot be true, such as a tool call that lasts years. They count as unknown.",
    ),
    unmappedKeyCount: count(
      "Number of different attribute keys that belong to the spans' vocabulary (`vocabulary` of the conversation), but that the service does not know.",
    ),
    unmappedKeys: z
      .array(z.strictObject({ key: z.string(), count: count() }))
      .max(UNMAPPED_KEYS_SHOWN)
      .meta({ description: `The ${UNMAPPED_KEYS_SHOWN} most frequent of these keys. Long keys are cut.` }),
    notes: z
      .array(z.strictObject({ about: z.enum(QUALITY_TOPICS), sentence: z.string() }))
      .meta({ description: "Problems of the data, one sentence each. Empty when there are no problems." }),
  })
  .meta({ id: "Quality", description: "The data quality of a conversation." });
export type Quality = z.infer<typeof Quality>;

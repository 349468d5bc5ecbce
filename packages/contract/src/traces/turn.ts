import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { CallError } from "./calls.ts";
import { durationMs, spanId } from "./values.ts";

/** Turn: one uninterrupted contribution of one party to a conversation. */
export const Turn = z
  .strictObject({
    index: count("Position in the conversation, starting at 0."),
    role: z.enum(["user", "agent", "third_party"]).meta({
      description: "`third_party`: a person to whom the agent transferred the call.",
    }),
    text: z.string().nullable().meta({
      description:
        "Words of the turn; null when unknown or withheld, and never empty. For an agent turn that was cut short, the whole text when the sender reports it.",
    }),
    heardText: z.string().nullable().meta({
      description:
        "Part of `text` that was played before the agent was cut short, perhaps empty. When the sender does not report this part, the service estimates it from the length of the played audio. Null when the turn was not cut short, and when the part is unknown.",
    }),
    agentName: z.string().nullable().meta({
      description:
        "Name of the agent that takes this turn; null for other parties, and when the sender names no agent.",
    }),
    startedAt: timestamp().meta({
      description: "For the agent, the time at which it started to work on the answer; its audio starts later.",
    }),
    endedAt: timestamp().nullable(),
    durationMs,
    interrupted: z.boolean().nullable().meta({ description: "Whether the agent was cut short; null when unknown." }),
    speechId: z.string().nullable().meta({ description: "The platform's id of the agent's speech." }),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: "The speech recognizer's confidence in the transcript." }),
    spanIds: z.array(spanId).meta({ description: "Ids of the spans that describe the turn." }),
  })
  .meta({ id: "Turn", description: "One uninterrupted contribution of one party." });
export type Turn = z.infer<typeof Turn>;

/** Answer that the agent began and the user never heard, because a call failed or the agent discarded the answer. */
export const UnspokenTurn = z
  .strictObject({
    outcome: z.enum(["failed", "discarded"]).meta({
      description: "`failed`: a call to a model failed. `discarded`: the agent dropped the answer before any audio.",
    }),
    text: z
      .string()
      .nullable()
      .meta({ description: "Text that the agent generated and did not say; null when unknown or withheld." }),
    agentName: z.string().nullable().meta({ description: "Name of the agent; null when the sender names none." }),
    error: CallError.nullable().meta({ description: "Error of the call that failed; null without one." }),
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    spanIds: z.array(spanId).meta({ description: "Ids of the spans that describe the answer." }),
  })
  .meta({
    id: "UnspokenTurn",
    description: "An answer that the agent began and the user never heard. It is not in the conversation's `turns`.",
  });
export type UnspokenTurn = z.infer<typeof UnspokenTurn>;

/** Period in which one party speaks. */
export const SpeechPeriod = z
  .strictObject({
    role: z.enum(["user", "agent", "third_party"]),
    startedAt: timestamp(),
    endedAt: timestamp(),
    durationMs: z.number().min(0).meta({ description: "Length in milliseconds." }),
    provenance: z.enum(["heard", "measured", "approximate"]).meta({
      description:
        "`heard`: from the sound of a call that the service placed. `approximate`: the platform reports only the times of words, as estimates.",
    }),
    turnIndex: count().nullable().meta({ description: "Index of the period's turn; null when unknown." }),
    spanId,
  })
  .meta({ id: "SpeechPeriod", description: "A period in which one party speaks." });
export type SpeechPeriod = z.infer<typeof SpeechPeriod>;

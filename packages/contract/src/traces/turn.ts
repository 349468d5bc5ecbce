import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { durationMs, spanId } from "./values.ts";

/** One uninterrupted contribution of one party to a conversation. */
export const Turn = z
  .strictObject({
    index: count("Position in the conversation, starting at 0."),
    role: z.enum(["user", "agent"]),
    text: z.string().nullable().meta({ description: "Null when unknown or withheld; never empty." }),
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

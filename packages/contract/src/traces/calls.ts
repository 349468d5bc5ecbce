import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { json } from "../core/json.ts";
import { count } from "../core/numbers.ts";
import { countWhenKnown, durationMs, numberWhenKnown, spanId } from "./values.ts";

/** Call of a tool by the agent. */
export const ToolCall = z
  .strictObject({
    id: z.string().nullable().meta({ description: "The model's id of the call. It is not unique in a conversation." }),
    name: z.string().nullable(),
    arguments: json.meta({
      description: "Parsed JSON, or the text when it is not JSON; null when withheld.",
      override: {},
    }),
    result: json.meta({
      description: "Parsed JSON, or the text when it is not JSON; null when withheld or absent.",
      override: {},
    }),
    isError: z.boolean().nullable().meta({ description: "Whether the call failed; null when unknown." }),
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    turnIndex: count()
      .nullable()
      .meta({ description: "Index of the agent's turn that made the call; null when unknown." }),
    spanId,
  })
  .meta({ id: "ToolCall", description: "One use of a tool by the agent." });
export type ToolCall = z.infer<typeof ToolCall>;

/** Error of a call that failed. */
export const CallError = z
  .strictObject({
    type: z.string().nullable().meta({ description: "Type of the error as the sender names it; null when unknown." }),
    message: z.string().nullable().meta({ description: "Message of the error; null when unknown or withheld." }),
  })
  .meta({ id: "CallError", description: "The error of a call that failed." });
export type CallError = z.infer<typeof CallError>;

const error = CallError.nullable().meta({
  description: "Error of the last attempt; null when the call did not fail, and when its spans have no error.",
});
const model = z.string().nullable().meta({ description: "Name of the model; null when unknown." });
const provider = z.string().nullable().meta({ description: "Name of the provider; null when unknown." });
const isError = z.boolean().nullable().meta({ description: "Whether the last attempt failed; null when unknown." });
const turnIndex = count().nullable().meta({ description: "Index of the call's turn; null when unknown." });

/** Request to a language model, with all its attempts. */
export const ModelCall = z
  .strictObject({
    model,
    provider,
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    timeToFirstTokenMs: numberWhenKnown("Milliseconds from the request to the first token; null when unknown."),
    inputTokens: countWhenKnown("Number of input tokens, including cached tokens; null when unknown."),
    cachedInputTokens: countWhenKnown("Number of cached input tokens; null when unknown."),
    outputTokens: countWhenKnown("Number of output tokens; null when unknown."),
    isError,
    error,
    retries: countWhenKnown("Number of repeated attempts; null when unknown."),
    turnIndex,
    spanId,
  })
  .meta({ id: "ModelCall", description: "One request to a language model, with all its attempts." });
export type ModelCall = z.infer<typeof ModelCall>;

/** Request to speech synthesis, or the speech recognition of one user turn. */
export const SpeechCall = z
  .strictObject({
    kind: z.enum(["tts", "stt"]).meta({ description: "`tts`: speech synthesis. `stt`: speech recognition." }),
    model,
    provider,
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
    durationMs,
    timeToFirstByteMs: numberWhenKnown("Milliseconds from the first text to the first audio; null when unknown."),
    characters: countWhenKnown("Number of characters of the spoken text; null when unknown."),
    audioMs: numberWhenKnown("Length of the audio in milliseconds; null when unknown."),
    isError,
    error,
    turnIndex,
    spanId,
  })
  .meta({
    id: "SpeechCall",
    description: "One request to speech synthesis, or the speech recognition of one user turn.",
  });
export type SpeechCall = z.infer<typeof SpeechCall>;

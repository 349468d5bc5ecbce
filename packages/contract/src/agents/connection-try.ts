import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { textUpTo } from "../core/texts.ts";
import { CallLine } from "../traces/call-line.ts";
import { ENDING_PARTIES, ENDING_REASON_NAMES } from "../runs/vocabulary.ts";

/**
 * Results of a try, which is a short test conversation over a connection: `works` when the agent answered or spoke, `fails` when something
 * prevented that, `not_tried` when the service itself cannot reach a connection of this type.
 */
export const TRY_RESULTS = ["works", "fails", "not_tried"] as const;

/**
 * Steps of a try of a connection, in order: `prepare` decrypts the credential and makes the caller's speech, `connect` reaches the agent,
 * `greeting` waits for an agent that speaks first, `answer` sends the caller's message and waits for the agent's answer, `hang_up` ends the
 * conversation.
 */
export const TRY_STEPS = ["prepare", "connect", "greeting", "answer", "hang_up"] as const;

/** Message of the caller when a request to try a connection contains none. */
export const TRY_MESSAGE = "Hello. Can you hear me?";

const TryStep = z
  .strictObject({
    step: z.enum(TRY_STEPS),
    result: z.enum(["done", "failed", "skipped"]),
    durationMs: count().nullable().meta({
      description:
        "Duration of the step in milliseconds; null when it was skipped or has no separate duration. For `answer` in a voice call: from the end of the caller's words to the start of the agent's words.",
    }),
    message: z.string().nullable().meta({ description: "Why the step failed or was skipped." }),
  })
  .meta({ id: "ConnectionTryStep" });

const TryTurn = z
  .strictObject({
    role: z.enum(["caller", "agent"]),
    text: z.string().nullable().meta({
      description:
        "The first 2,000 characters; null when the agent spoke and no speech recognition transcribed its words.",
    }),
    startMs: count("Milliseconds from `startedAt`."),
    endMs: count(),
  })
  .meta({ id: "ConnectionTryTurn" });

const TryToolCall = z
  .strictObject({
    name: z.string(),
    arguments: z.string().meta({ description: "The arguments as JSON: their first 500 characters." }),
    mocked: z.boolean().meta({ description: "Whether a mock tool of the project answered." }),
    error: z.string().nullable(),
    durationMs: count(),
  })
  .meta({ id: "ConnectionTryToolCall" });

const TrySound = z
  .strictObject({
    firstSoundMs: count().nullable().meta({
      description:
        "Milliseconds from the start of the call to the agent's first speech; null when the agent did not speak.",
    }),
    agentSpeechMs: count(),
    agentSpeechDbfs: z.number().nullable().meta({ description: "Mean level of the agent's speech." }),
    clippedSamples: count(),
    frameGapMaxMs: count("The longest time in milliseconds in which the service sent no sound."),
    isTimingReliable: z.boolean(),
  })
  .meta({ id: "ConnectionTrySound" });

const OpenConversation = z
  .strictObject({
    id: id("sim"),
    openUntil: timestamp().meta({
      description: "When the service ends the conversation, unless a message comes before.",
    }),
  })
  .meta({ id: "OpenConversation" });

/** Outcome of one short conversation over a connection. The service does not store it. */
export const ConnectionTry = z
  .strictObject({
    result: z.enum(TRY_RESULTS),
    message: z.string().meta({ description: "One or two sentences for people: the result, and what to do." }),
    endingReason: z.enum(ENDING_REASON_NAMES).nullable().meta({
      description: "The cause of a failure, as simulations name it; null when the connection works or was not tried.",
    }),
    endedBy: z.enum(ENDING_PARTIES).nullable().meta({ description: "The party that caused the failure." }),
    steps: z.array(TryStep),
    turns: z.array(TryTurn).meta({ description: "Everything that was said since the request, in order." }),
    toolCalls: z.array(TryToolCall),
    openConversation: OpenConversation.nullable().meta({
      description: "The conversation, if the request let it stay open and the agent has not ended it; otherwise null.",
    }),
    sound: TrySound.nullable().meta({ description: "Measurements of the sound; null for a conversation in text." }),
    line: CallLine.nullable().meta({
      description: "Signalling and packets of a call over SIP; null for other connections.",
    }),
    startedAt: timestamp(),
    durationMs: count(),
  })
  .meta({ id: "ConnectionTry" });
export type ConnectionTry = z.infer<typeof ConnectionTry>;

/** Body of a request to try a connection. */
export const ConnectionTryOptions = z.strictObject({
  message: textUpTo(LIMITS.connectionTryCharacters)
    .optional()
    .meta({
      description: `The caller's message. In a voice call, the message must be in English. Default: "${TRY_MESSAGE}"`,
    }),
  furtherMessages: z
    .array(textUpTo(LIMITS.connectionTryCharacters))
    .max(LIMITS.connectionTryFurtherMessages)
    .optional()
    .meta({
      description:
        "Further messages of the caller in the same conversation. The caller sends each message after the agent's answer to the previous message. Only for text connections.",
    }),
  staysOpen: z
    .boolean()
    .optional()
    .meta({
      description: `Whether the conversation stays open after the last answer, so that a later request can go on with it. It ends after ${LIMITS.openConversationSeconds} seconds without a message, and after ${LIMITS.openConversationMessages} messages. An organization has at most ${LIMITS.openConversations} open conversations: a further one ends the one that has waited longest. Only for text connections.`,
    }),
  conversationId: idInput("sim").optional().meta({
    description:
      "Id of an open conversation over this connection. The caller goes on with it; without a message, the caller ends it.",
  }),
});

import { z } from "zod";
import { CHANNELS } from "./channels.ts";

/** Schema of a channel in a request. */
export const channel = z.enum(CHANNELS);

/** Schema of several channels in a request, each once. */
export const severalChannels = z
  .array(channel)
  .max(CHANNELS.length)
  .refine((channels) => new Set(channels).size === channels.length, "Name each channel once.");

/** Query parameter that selects channels. A repeated parameter selects several channels. */
export const channelFilter = z
  .union([channel, severalChannels.min(1)])
  .transform((channels) => [channels].flat())
  .optional()
  .meta({
    description:
      "Channel of the conversation: a telephone call (`telephone`), a call in a browser or an app (`room`), or typed (`text`). Repeat the parameter for several channels. A conversation whose channel is unknown does not match.",
    override: { type: "array", items: { type: "string", enum: [...CHANNELS] }, minItems: 1, maxItems: CHANNELS.length },
  });

/** Schema of a conversation's channel in an answer; null when the channel is unknown. */
export const knownChannel = channel.nullable().meta({
  description:
    "`telephone`: a telephone call. `room`: a call in a browser or an app. `text`: typed, without sound. Null when the spans do not show it.",
});

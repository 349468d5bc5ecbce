/** Channels of conversations. `telephone`: a telephone call. `room`: a call over WebRTC in a browser or an app. `text`: typed, without sound. */
export const CHANNELS = ["telephone", "room", "text"] as const;

/** Channel of a conversation. */
export type Channel = (typeof CHANNELS)[number];

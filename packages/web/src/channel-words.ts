import { type Channel, CHANNELS } from "@svc/contract/constants";

export const CHANNEL_OPTIONS = CHANNELS.map((channel) => ({ value: channel, label: channel }));

/** Null means that the spans do not show the channel. */
export const channelWord = (channel: Channel | null): string => channel ?? "unknown";

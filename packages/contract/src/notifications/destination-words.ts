/** Kinds of destinations. */
export const DESTINATION_KINDS = ["webhook", "slack", "email"] as const;
/** Kind of a destination. */
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** States of a delivery, with their meanings. */
export const DELIVERY_STATES = {
  waiting: "The event waits to be sent, or to be sent again at `nextAttemptAt`.",
  delivered: "The receiver accepted the event.",
  failed: "Every attempt failed. Send it again when the receiver works.",
} as const;

/** State of a delivery. */
export type DeliveryState = keyof typeof DELIVERY_STATES;

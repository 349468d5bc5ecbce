/** The ways in which a destination receives events. */
export const DESTINATION_KINDS = ["webhook", "slack", "email"] as const;
/** A way in which a destination receives events. */
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** The states of a delivery, with their meanings. */
export const DELIVERY_STATES = {
  waiting: "It is sent soon, or tried again at `nextAttemptAt`.",
  delivered: "The receiver accepted it.",
  failed: "Every attempt failed. Send it again when the receiver works.",
} as const;

/** A state of a delivery. */
export type DeliveryState = keyof typeof DELIVERY_STATES;

import type { CallEvent, CallOrder } from "../call.ts";

/** A message of the service to a media process. */
export type ToMedia =
  | { kind: "place"; order: CallOrder }
  /** Says sound at `CALL_RATE` after the sound that still waits. */
  | { kind: "say"; callId: string; samples: Int16Array }
  | { kind: "hang_up"; callId: string };

/** A message of a media process to the service. */
export type FromMedia =
  | { kind: "event"; callId: string; event: CallEvent }
  /** Sent every `ALIVE_EVERY_MS`. */
  | { kind: "alive"; residentBytes: number }
  /** The process ends with a fault. */
  | { kind: "fault"; stack: string };

export const ALIVE_EVERY_MS = 1_000;

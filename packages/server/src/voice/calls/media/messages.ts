import type { CallEvent, CallOrder } from "../call.ts";

export type ToMedia =
  | { kind: "place"; order: CallOrder }
  /** Speaks sound at `CALL_RATE` after the sound that is still waiting. */
  | { kind: "say"; callId: string; samples: Int16Array }
  | { kind: "hang_up"; callId: string };

export type FromMedia =
  | { kind: "event"; callId: string; event: CallEvent }
  /** Sent every `ALIVE_EVERY_MS`. */
  | { kind: "alive"; residentBytes: number }
  /** A call failed by a fault of the code, or an uncaught exception ends the process. */
  | { kind: "fault"; stack: string };

export const ALIVE_EVERY_MS = 1_000;

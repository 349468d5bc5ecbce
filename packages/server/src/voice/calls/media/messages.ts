import type { CallEvent, CallOrder } from "../call.ts";

export type ToMedia =
  | { kind: "place"; order: CallOrder }
  /** Sends speech at `CALL_RATE` to the agent, after the speech that still waits to be sent. */
  | { kind: "say"; callId: string; samples: Int16Array }
  /** Presses keys of the telephone, after the speech that still waits to be sent. */
  | { kind: "press"; callId: string; keys: string }
  | { kind: "hang_up"; callId: string };

export type FromMedia =
  | { kind: "event"; callId: string; event: CallEvent }
  /** Sent every `ALIVE_EVERY_MS` milliseconds while the process runs. */
  | { kind: "alive"; residentBytes: number }
  /** The code of the process failed: a call ended because of it, or an uncaught exception ends the process. */
  | { kind: "fault"; stack: string };

export const ALIVE_EVERY_MS = 1_000;

/** The way into the room of one simulation. */
export type RoomAccess = {
  /** Lets the caller join the room. */
  token: string;
  /**
   * Sends the agent into the room after the caller has joined it, and resolves when a worker has taken the call. Rejects with the
   * `LineFailure` that says why none did. Undefined when the room itself calls the agent.
   */
  summonAgent?: (signal: AbortSignal) => Promise<void>;
  /** Ends the room. Never throws. */
  close: () => Promise<void>;
};

/** The identity of the caller in its room. */
export const CALLER_IDENTITY = "svc-caller";

export type RoomAccess = {
  token: string;
  /**
   * Dispatches the agent to the room, which the caller must have joined. Resolves when a worker has taken the call; rejects with
   * a `LineFailure` when no worker takes it. Undefined when the token endpoint dispatches the agent.
   */
  summonAgent?: (signal: AbortSignal) => Promise<void>;
  /** Deletes the room, if the service created it. Never throws. */
  close: () => Promise<void>;
};

export const CALLER_IDENTITY = "svc-caller";

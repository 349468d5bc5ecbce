/**
 * Why a simulation ended, and whose doing it was: `agent` is the agent under test, `caller` the simulated person, `limit` a
 * bound of the run, `service` this service, `outside` what lies between the two, `canceled` a person.
 */
export const ENDING_REASONS = {
  agent_ended: { by: "agent", meaning: "The agent ended the conversation." },
  transferred: { by: "agent", meaning: "The agent passed the caller on to somebody else." },
  agent_never_joined: { by: "agent", meaning: "The agent could be reached and never answered." },
  agent_error: { by: "agent", meaning: "The agent answered with an error, or with something that is no answer." },
  persona_concluded: { by: "caller", meaning: "The caller had what it called for, or gave up." },
  turn_limit: { by: "limit", meaning: "The run's limit of turns was reached." },
  time_limit: { by: "limit", meaning: "The run's limit of time was reached." },
  simulator_error: { by: "service", meaning: "The simulator failed; says nothing about the agent." },
  orphaned: { by: "service", meaning: "The service stopped in the middle, more often than it tries again." },
  connection_refused: {
    by: "outside",
    meaning: "Nothing answered at the connection's address, or the platform there opened no conversation.",
  },
  rate_limited: { by: "outside", meaning: "The agent's endpoint kept answering that it was called too often." },
  credential_rejected: { by: "outside", meaning: "The agent's endpoint refused the connection's credential." },
  canceled: { by: "canceled", meaning: "The run was canceled." },
} as const;

/** One of the reasons of `ENDING_REASONS`. */
export type EndingReason = keyof typeof ENDING_REASONS;

/**
 * What grading says of a behavior, or of a whole simulation. Only `passed` is passed and only `failed` is failed:
 * `inconclusive` (the evidence does not decide), `errored` (our side or what lies between failed) and `not_graded` (nothing
 * could decide) are neither.
 */
export const VERDICTS = ["passed", "failed", "inconclusive", "errored", "not_graded"] as const;
/** One of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];

/** How far the execution of a run is; it ends as `completed` or `canceled`. */
export const RUN_STATUSES = ["pending", "running", "completed", "canceled"] as const;
/** One of `RUN_STATUSES`. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** How far the execution of a simulation is; `failed` says that it could not be played to an end, and nothing of its verdict. */
export const SIMULATION_STATUSES = ["queued", "claimed", "running", "completed", "failed", "canceled"] as const;
/** One of `SIMULATION_STATUSES`. */
export type SimulationStatus = (typeof SIMULATION_STATUSES)[number];

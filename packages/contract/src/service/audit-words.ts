/** Credentials of the requests in the audit, with their meanings. */
export const AUDIT_WAYS = {
  session: "A signed-in person.",
  key: "An API key.",
  none: "A request without a credential, such as a sign-in. The person is the one whose account it names.",
  operator: "A command or a setting on the service's machine.",
} as const;

/** Outcomes of the requests in the audit, with their meanings. */
export const AUDIT_OUTCOMES = {
  done: "It succeeded.",
  refused: "The service refused it. `error` says why.",
  failed: "It failed by a fault of the service.",
  unknown: "The service ended during it, or it is still under way.",
} as const;

/** Names of the outcomes of audited requests. */
export const AUDIT_OUTCOME_NAMES = Object.keys(AUDIT_OUTCOMES) as [AuditOutcome, ...AuditOutcome[]];

/** Name of an outcome of an audited request. */
export type AuditOutcome = keyof typeof AUDIT_OUTCOMES;

/** Kinds of credentials of the requests in the audit log, with their meanings. */
export const AUDIT_WAYS = {
  session: "A signed-in person.",
  key: "An API key.",
  none: "A request without a credential, such as a sign-in. The person is the owner of the account that the request names.",
  operator: "A command or a setting on the service's machine.",
} as const;

/** Outcomes of the requests in the audit log, with their meanings. */
export const AUDIT_OUTCOMES = {
  done: "The request succeeded.",
  refused: "The service refused the request. `error` says why.",
  failed: "The request failed because of a fault of the service.",
  unknown: "The service stopped during the request, or the request is still in progress.",
} as const;

/** Names of the outcomes of audited requests. */
export const AUDIT_OUTCOME_NAMES = Object.keys(AUDIT_OUTCOMES) as [AuditOutcome, ...AuditOutcome[]];

/** Name of an outcome of an audited request. */
export type AuditOutcome = keyof typeof AUDIT_OUTCOMES;

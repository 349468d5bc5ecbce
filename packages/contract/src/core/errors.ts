/**
 * Every code that an answer's `error` may hold, with its status and what it means. The code is stable; match on it and
 * never on the message.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    meaning: "The request does not fit the operation's schema; `details.issues` lists what to change.",
  },
  not_authenticated: {
    status: 401,
    meaning: "The credential is missing, unknown, revoked or belongs to a removed user.",
  },
  not_permitted: { status: 403, meaning: "The credential is valid and lacks the permission." },
  not_found: { status: 404, meaning: "Absent, or invisible to the credential." },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists and does not take this method; `Allow` lists those it takes.",
  },
  conflict: { status: 409, meaning: "The resource's state does not allow it." },
  name_taken: { status: 409, meaning: "Another live resource has this name." },
  version_conflict: {
    status: 409,
    meaning: "The edit names a version that is no longer current; `details` holds both ids.",
  },
  parent_agent_archived: { status: 409, meaning: "The connection's agent is archived; restore the agent first." },
  replay_in_progress: { status: 409, meaning: "Another retry of this failure is under way." },
  conversation_incomplete: { status: 409, meaning: "The platform does not have the whole conversation (yet)." },
  payload_too_large: { status: 413, meaning: "The body is larger than the operation takes." },
  unsupported_media_type: { status: 415, meaning: "The content type or encoding is not one that the operation takes." },
  unprocessable: { status: 422, meaning: "Fits the schema and cannot be acted on." },
  too_many_requests: { status: 429, meaning: "The rate limit is used up; `Retry-After` says for how many seconds." },
  internal_error: { status: 500, meaning: "A fault of the service; `details.request_id` finds it in the log." },
  provider_unavailable: {
    status: 503,
    meaning: "The other service does not answer now; try again after `Retry-After` seconds.",
  },
  unavailable: { status: 503, meaning: "The service cannot do it now; try again after `Retry-After` seconds." },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** One of the codes of `ERRORS`. */
export type ErrorCode = keyof typeof ERRORS;

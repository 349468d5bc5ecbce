/** Error codes of the API, with the HTTP status and the meaning of each. Codes are stable. Match on the code and never on the message. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    meaning: "The request does not match the operation's schema. `details.issues` lists each problem.",
  },
  authorization_pending: {
    status: 400,
    meaning: "No person has approved or denied the device yet. Ask again after `interval` seconds.",
  },
  slow_down: {
    status: 400,
    meaning: "The device asks too often. Wait 5 seconds longer between requests from now on.",
  },
  access_denied: { status: 400, meaning: "The person denied the device, or no longer belongs to the organization." },
  expired_token: { status: 400, meaning: "The device code has expired. Request a new device code." },
  invalid_grant: {
    status: 400,
    meaning: "The device code is unknown, or was used already. Request a new device code.",
  },
  unsupported_grant_type: {
    status: 400,
    meaning: "`grant_type` is not `urn:ietf:params:oauth:grant-type:device_code`.",
  },
  not_authenticated: {
    status: 401,
    meaning: "The credential is missing, unknown or revoked, or its user was removed.",
  },
  not_permitted: { status: 403, meaning: "The credential is valid but lacks the required permission." },
  not_found: { status: 404, meaning: "The resource does not exist, or the credential cannot see it." },
  method_not_allowed: {
    status: 405,
    meaning: "The path does not support this method. The `Allow` header lists the supported methods.",
  },
  conflict: { status: 409, meaning: "The resource's current state does not allow the request." },
  name_taken: { status: 409, meaning: "Another live resource already has this name." },
  version_conflict: {
    status: 409,
    meaning:
      "The edit names a version or a revision that is no longer current. `details` contains the version or revision of the request, the current version or revision, and the current resource in `current`.",
  },
  parent_agent_archived: {
    status: 409,
    meaning: "The agent of this connection is archived. Restore the agent first.",
  },
  replay_in_progress: { status: 409, meaning: "Another replay of this import failure is running." },
  conversation_incomplete: { status: 409, meaning: "The platform does not have the complete conversation yet." },
  payload_too_large: { status: 413, meaning: "The request body exceeds the operation's size limit." },
  unsupported_media_type: {
    status: 415,
    meaning: "The operation does not accept this content type or content encoding.",
  },
  range_not_satisfiable: {
    status: 416,
    meaning:
      "The requested range of bytes begins after the end of the file. The header `Content-Range` contains the size of the file.",
  },
  unprocessable: {
    status: 422,
    meaning: "The request is readable, but a value in it is not allowed or cannot be used now.",
  },
  too_many_requests: {
    status: 429,
    meaning: "The rate limit is reached. Retry after the number of seconds in `Retry-After`.",
  },
  internal_error: {
    status: 500,
    meaning: "The service failed. `details.request_id` identifies the log entry.",
  },
  provider_unavailable: {
    status: 503,
    meaning: "An external provider is unavailable. Retry after the number of seconds in `Retry-After`.",
  },
  unavailable: {
    status: 503,
    meaning: "The service is temporarily unavailable. Retry after the number of seconds in `Retry-After`.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** Error code of the API. */
export type ErrorCode = keyof typeof ERRORS;

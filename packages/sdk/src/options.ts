/** Options of a client: the service's address, the credential, and the limits of requests. */
export type ClientOptions = {
  /** Base URL of the service, such as `http://127.0.0.1:3100`. It may have a path. Default: the environment variable `SVC_URL`. */
  baseUrl?: string | undefined;
  /**
   * API key, `svc_sk_…`. Default: the environment variable `SVC_API_KEY`, unless `cookie` is set. With `null` the client sends no key,
   * for operations that need none. A web page at the service's origin needs no key, because the browser sends the session cookie.
   */
  apiKey?: string | null | undefined;
  /** `Cookie` header with a session cookie, as an alternative to an API key. Browsers ignore it and send their own cookies. */
  cookie?: string | undefined;
  /** Time limit of one call in milliseconds, including retries and the answer's body. Default: 30 000. */
  timeoutMs?: number | undefined;
  /**
   * Maximum number of retries after a lost connection or a status 429, 502, 503 or 504. Default: 2.
   *
   * The client retries only calls that are safe to repeat: reads (GET), and writes with an `idempotencyKey`. The pauses between the
   * attempts grow and have jitter. The client waits for a `Retry-After` of up to 10 seconds. When `Retry-After` is longer, it does
   * not retry.
   */
  retries?: number | undefined;
  /** Replacement for the global `fetch`, for tests and for runtimes without `fetch`. The client calls it with a URL and options. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** Options of one call. */
export type CallOptions = {
  /** Signal that aborts the call. The call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of this call in milliseconds, including retries and the answer's body. Default: `timeoutMs` of the client. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries of this call. Default: `retries` of the client. */
  retries?: number | undefined;
};

/** Input of `traces.ingest`: an encoded OTLP export request. */
export type OtlpBody = {
  body: Uint8Array | string;
  contentType: "application/x-protobuf" | "application/json";
  /** Whether `body` is gzip-compressed. */
  gzip?: boolean | undefined;
};

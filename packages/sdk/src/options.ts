/** The service's address, the credential, and the limits of requests. */
export type ClientOptions = {
  /** Base URL of the service, such as `http://127.0.0.1:3100`. A path is kept. Default: `SVC_URL` of the process's environment. */
  baseUrl?: string | undefined;
  /**
   * An API key, `svc_sk_…`. Default: `SVC_API_KEY` of the process's environment. `null` sends no key, for operations that need none.
   * A page needs no key on the service's own origin.
   */
  apiKey?: string | null | undefined;
  /** A `Cookie` header with a session cookie, as an alternative to an API key. Browsers send their own cookies instead. */
  cookie?: string | undefined;
  /** Time limit of one call in milliseconds, including retries and the answer's body. Default: 30 000. */
  timeoutMs?: number | undefined;
  /**
   * Maximum number of retries after a lost connection or a status 429, 502, 503 or 504. The client retries only calls that it may
   * repeat: reads (GET), and writes with an `idempotencyKey`. The pauses grow and have jitter. The client respects a
   * `Retry-After` of up to 10 seconds and does not retry after a longer one. Default: 2.
   */
  retries?: number | undefined;
  /** Replacement for the global `fetch`, for tests and for runtimes without it. It gets an address and its options. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** Options of one call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of this call in milliseconds, including retries and the answer's body. Default: the client's. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries of this call. Default: the client's. */
  retries?: number | undefined;
};

/** The input of `traces.ingest`: an encoded OTLP export request. */
export type OtlpBody = {
  body: Uint8Array | string;
  contentType: "application/x-protobuf" | "application/json";
  /** Whether `body` is gzip-compressed. */
  gzip?: boolean | undefined;
};

import type { ServerResponse } from "node:http";

/** Aborted once nobody waits for the answer any more. The request itself is closed as soon as its body is read. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

import type { ServerResponse } from "node:http";

/**
 * Returns a signal that aborts when the client disconnects. The request cannot show this, because it closes as soon as
 * its body is read.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

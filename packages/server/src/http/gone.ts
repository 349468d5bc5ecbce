import type { ServerResponse } from "node:http";

/** The reason of an aborted signal: the client has closed the connection. Nothing is answered. */
export class ClientGone extends Error {
  constructor() {
    super("The client closed the connection before its answer.");
    this.name = "ClientGone";
  }
}

/**
 * Returns a signal that aborts when the client disconnects. The request cannot show this, because it closes as soon as
 * its body is read.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new ClientGone()));
  if (response.destroyed) gone.abort(new ClientGone());
  return gone.signal;
}

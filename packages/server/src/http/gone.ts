import type { ServerResponse } from "node:http";

/** Error that ends the work for a request whose client closed the connection. The request gets no answer. */
export class ClientGone extends Error {
  constructor() {
    super("The client closed the connection before its answer.");
    this.name = "ClientGone";
  }
}

/**
 * Returns a signal that aborts when the client disconnects. It watches the response, because the request closes as soon as its body is
 * read.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new ClientGone()));
  if (response.destroyed) gone.abort(new ClientGone());
  return gone.signal;
}

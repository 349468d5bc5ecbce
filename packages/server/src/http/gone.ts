import type { ServerResponse } from "node:http";

/** The client closed the connection, so the request gets no answer. */
export class ClientGone extends Error {
  constructor() {
    super("The client closed the connection before its answer.");
    this.name = "ClientGone";
  }
}

/** Watches the response, because the request closes as soon as its body is read. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new ClientGone()));
  if (response.destroyed) gone.abort(new ClientGone());
  return gone.signal;
}

import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Identity } from "@svc/contract";
import { createSession } from "../session/session.ts";
import { createMcpServer } from "./server.ts";

/** Sender of an MCP request, after the service has authenticated it. */
type Caller = {
  url: string;
  apiKey: string;
  identity: Identity;
  projectId: string | undefined;
  /** Sends a request to the service on behalf of the caller. */
  send: (address: string, init?: never) => Promise<Response>;
  stopping: AbortSignal;
  report: (error: unknown) => void;
};

/** Stores no state between requests. */
export async function answerMcp(request: Request, body: unknown, caller: Caller): Promise<Response> {
  const { url, apiKey, identity, projectId, send, stopping, report } = caller;
  const target = { url, urlFrom: "this service", apiKey, keyFrom: "the request", project: projectId };
  const session = await createSession(target, { fetch: send as typeof fetch, retries: 0 });
  const handler = createMcpHandler(() => createMcpServer(session, { identity, stopping, report, place: "service" }));
  return handler.fetch(request, { parsedBody: body });
}

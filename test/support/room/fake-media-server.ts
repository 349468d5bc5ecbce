import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** One request that the fake received, with the claims of its token. */
type MediaServerRequest = { method: string; body: Record<string, unknown>; claims: Record<string, unknown> };

export type FakeMediaServer = Awaited<ReturnType<typeof startFakeMediaServer>>;

type Reply = { status?: number; json?: unknown };

/**
 * Starts the HTTP interface of a media server of platform_b, without media. `answers` overrides the answer to a method, such as
 * `CreateRoom`; a token with another secret is refused.
 */
export async function startFakeMediaServer(
  secret: string,
  answers: Record<string, (body: Record<string, unknown>) => Reply> = {},
) {
  const requests: MediaServerRequest[] = [];
  const server = createServer(async (request, response) => {
    const { status = 200, json = {} } = await answer(request);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(json));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  async function answer(request: IncomingMessage): Promise<Reply> {
    const address = new URL(request.url!, "http://127.0.0.1");
    const method = address.pathname.split("/").at(-1)!;
    const token =
      address.searchParams.get("access_token") ?? (request.headers.authorization ?? "").replace("Bearer ", "");
    const claims = verified(token, secret);
    if (!claims) return { status: 401, json: { code: "unauthenticated", msg: `invalid token: ${token}` } };
    const text = Buffer.concat(await request.toArray()).toString("utf8");
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    requests.push({ method, body, claims });
    return answers[method]?.(body) ?? USUAL[method]?.(body) ?? {};
  }

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    of: (method: string) => requests.filter((request) => request.method === method),
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the answer to `ListDispatch` with one job of a worker. */
export const jobOf = (state: object) => (body: Record<string, unknown>) => ({
  json: { agent_dispatches: [{ id: body.dispatch_id, state: { jobs: [{ id: "AJ_1", state }] } }] },
});

const USUAL: Record<string, (body: Record<string, unknown>) => Reply> = {
  CreateRoom: ({ name }) => ({ json: { sid: "RM_1", name } }),
  CreateDispatch: ({ room, agent_name }) => ({ json: { id: "AD_1", room, agent_name } }),
  ListDispatch: jobOf({ status: "JS_RUNNING" }),
};

/** Returns the claims of a token that the secret signed. */
function verified(token: string, secret: string): Record<string, unknown> | undefined {
  const [head, claims, signature] = token.split(".");
  const expected = createHmac("sha256", secret).update(`${head}.${claims}`).digest("base64url");
  return signature === expected
    ? (JSON.parse(Buffer.from(claims!, "base64url").toString()) as Record<string, unknown>)
    : undefined;
}

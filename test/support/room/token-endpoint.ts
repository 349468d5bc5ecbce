import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MediaServerProcess } from "./media-server.ts";

type TokenRequest = {
  room_name: string;
  participant_identity: string;
  room_config: { agents: { metadata: string }[] };
};

/** A token endpoint of a customer, whose tokens bring an agent into the room. */
export type TokenEndpoint = { url: string; headers: Record<string, string>; stop: () => void };

/** Starts a token endpoint that dispatches the agent of this name with the metadata of the request and more members. */
export async function startTokenEndpoint(
  { apiKey, apiSecret }: MediaServerProcess,
  agentName: string,
  more: object,
): Promise<TokenEndpoint> {
  const headers = { "x-customer": "aurora-hotel" };
  const server = createServer(async (request, response) => {
    if (request.headers["x-customer"] !== headers["x-customer"]) return void response.writeHead(401).end();
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as TokenRequest;
    const metadata = JSON.stringify({ ...more, ...JSON.parse(body.room_config.agents[0]!.metadata) });
    const claims = {
      iss: apiKey,
      sub: body.participant_identity,
      exp: Math.floor(Date.now() / 1_000) + 600,
      video: { room: body.room_name, roomJoin: true, canPublish: true, canSubscribe: true },
      roomConfig: { agents: [{ agentName, metadata }] },
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ participant_token: signed(claims, apiSecret) }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    headers,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function signed(claims: object, secret: string): string {
  const parts = [{ alg: "HS256", typ: "JWT" }, claims];
  const unsigned = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${unsigned}.${createHmac("sha256", secret).update(unsigned).digest("base64url")}`;
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FakePlatformA, openFakePlatformA } from "../support/platform-a/fake.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

const AGENT = "agent_of_the_platform";
const TOKEN = "token-of-the-call";

let platform: FakePlatformA;
let media: Awaited<ReturnType<typeof startRefusingRoom>>;
let server: TestServer;
beforeAll(async () => {
  platform = await openFakePlatformA();
  platform.addAgent(AGENT, "Front desk", "voice");
  media = await startRefusingRoom();
  server = await startServer({
    settings: { SVC_PLATFORM_A_BASE_URL: platform.url, SVC_PLATFORM_A_ROOM_URL: media.url },
  });
});
afterAll(async () => {
  await server?.stop();
  media?.stop();
  await platform?.close();
});
beforeEach(() => {
  platform.faults.stop();
  platform.requests.length = 0;
  platform.state.webCall = { access_token: TOKEN };
  media.tokens.length = 0;
});

/** Starts a media server that notes the token of each caller, and admits nobody. */
async function startRefusingRoom() {
  const tokens: (string | null)[] = [];
  const refusing = createServer((request, response) => {
    tokens.push(tokenOf(request.url!));
    response.writeHead(401).end();
  });
  refusing.on("upgrade", (request, socket) => {
    tokens.push(tokenOf(request.url!) ?? (request.headers.authorization ?? "").replace("Bearer ", ""));
    socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
  });
  await new Promise<void>((listening) => refusing.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`,
    tokens,
    stop(): void {
      refusing.close();
      refusing.closeAllConnections();
    },
  };
}

const tokenOf = (path: string) => new URL(path, "http://room.test").searchParams.get("access_token");

async function tried({ apiKey = platform.apiKey, platformAAgentId = AGENT } = {}) {
  const { agent } = await server.client.agents.register({ name: freshName("agent") });
  const { connection } = await server.client.connections.create({
    agentId: agent.id,
    connectionType: "platform_a_web_call",
    config: { platformAAgentId },
    credential: { apiKey },
  });
  return server.client.connections.try({ agentId: agent.id, connectionId: connection.id });
}

test("a web call is registered with the platform once, and its token opens the room on the media server", async () => {
  const result = await tried();
  expect(platform.requests.map(({ method, path, body }) => [`${method} ${path}`, body])).toEqual([
    ["POST /v2/create-web-call", { agent_id: AGENT }],
  ]);
  expect([...new Set(media.tokens)]).toEqual([TOKEN]);
  expect(result).toMatchObject({ result: "fails", message: expect.stringMatching(/could not join the room/) });
  expect(JSON.stringify(result)).not.toContain(TOKEN);
});

test.each([
  ["another key", { apiKey: "key_of_somebody_else" }, {}, /refused|key|credential/i],
  ["an unknown agent", { platformAAgentId: "agent_unknown" }, {}, /opened no web call; check .*platformAAgentId/],
  ["an answer without a token", {}, { access_token: undefined }, /opened no web call.*not a web call/],
  ["a call over a gateway", {}, { transport: "gateway" }, /opened no web call.*only over "gateway"/],
])("a web call with %s is not the agent's failure, and no room is joined", async (_, target, webCall, message) => {
  platform.state.webCall = webCall;
  expect(await tried(target)).toMatchObject({ result: "fails", message: expect.stringMatching(message) });
  expect(media.tokens).toEqual([]);
});

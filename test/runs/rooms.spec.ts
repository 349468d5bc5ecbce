import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { missingRoomPackage } from "../../packages/server/src/voice/calls/lines/room/room-package.ts";
import { dispatchMetadata, metadataProblem } from "../../packages/server/src/runs/lines/room/dispatch-metadata.ts";
import { addressFor, createMediaServer } from "../../packages/server/src/runs/lines/room/media-server.ts";
import { createKnownWorkers, openProjectRoom } from "../../packages/server/src/runs/lines/room/project-room.ts";
import { openRoomByEndpoint } from "../../packages/server/src/runs/lines/room/token-endpoint.ts";
import { type FakeMediaServer, jobOf, startFakeMediaServer } from "../support/room/fake-media-server.ts";
import { roomConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const KEY = { apiKey: "project-key", apiSecret: "a-secret-of-the-project" };
const NO_JOB = () => ({ json: { agent_dispatches: [] } });
const never = new AbortController().signal;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function mediaServer(
  ...answers: Parameters<typeof startFakeMediaServer> extends [string, ...infer Rest] ? Rest : never
) {
  const media = await startFakeMediaServer(KEY.apiSecret, ...answers);
  stops.push(media.stop);
  return media;
}

const roomOn = ({ url }: { url: string }, workers = createKnownWorkers()("server"), key = KEY) =>
  openProjectRoom(
    {
      server: createMediaServer(url, key, "allow"),
      key,
      room: "room-1",
      agentName: "hotel",
      metadata: "{}",
      workers,
      takeMs: 300,
    },
    never,
  );

describe("a room with the key of a project", () => {
  test("a room with the key of a project is created for one call, and the caller's token opens only this room", async () => {
    const media = await mediaServer();
    const { token } = await roomOn(media);
    const [created] = media.of("CreateRoom");
    expect(created!.body).toMatchObject({ name: "room-1", empty_timeout: 60, departure_timeout: 10 });
    const claims = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
    expect(claims).toMatchObject({
      iss: KEY.apiKey,
      sub: "svc-caller",
      video: { room: "room-1", roomJoin: true, canPublish: true, canSubscribe: true },
    });
    expect(claims.video).not.toHaveProperty("roomAdmin");
    expect(token).not.toContain(KEY.apiSecret);
  });

  test("summons the agent by its name, with the metadata, and ends with the call", async () => {
    const media = await mediaServer();
    const room = await roomOn(media);
    await room.summonAgent!(never);
    expect(media.of("CreateDispatch")[0]!.body).toEqual({ room: "room-1", agent_name: "hotel", metadata: "{}" });
    await room.close();
    expect(media.of("DeleteRoom")[0]!.body).toEqual({ room: "room-1" });
  });

  test("a room with the key of a project says that no worker took the call, which blames no agent", async () => {
    const room = await roomOn(await mediaServer({ ListDispatch: NO_JOB }));
    await expect(room.summonAgent!(never)).rejects.toMatchObject({
      reason: "worker_missing",
      message: expect.stringContaining('"hotel"'),
    });
  });

  test("a room with the key of a project asks workers again that took a call shortly before, then says that they are full", async () => {
    const media = await mediaServer({ ListDispatch: NO_JOB });
    const workers = createKnownWorkers()("server");
    workers.took("hotel");
    const room = await roomOn(media, workers);
    await expect(room.summonAgent!(never)).rejects.toMatchObject({ reason: "worker_full" });
    expect(media.of("CreateDispatch")).toHaveLength(3);
    expect(media.of("DeleteDispatch")).toHaveLength(2);
  });

  test("a room with the key of a project blames the agent when its worker takes the call and cannot start it", async () => {
    const room = await roomOn(await mediaServer({ ListDispatch: jobOf({ status: "JS_FAILED", error: "no model" }) }));
    await expect(room.summonAgent!(never)).rejects.toMatchObject({
      reason: "agent_error",
      message: expect.not.stringContaining("no model"),
    });
  });

  test.each([
    ["another secret", {}, { ...KEY, apiSecret: "another-secret" }, "credential_rejected"],
    ["no media server", { CreateRoom: () => ({ status: 404 }) }, KEY, "media_unreachable"],
    ["a limit", { CreateRoom: () => ({ status: 429 }) }, KEY, "rate_limited"],
    ["a failure", { CreateRoom: () => ({ status: 500, json: { msg: "out of nodes" } }) }, KEY, "media_unreachable"],
  ])("%s has its own reason, without a word of the answer", async (_name, answers, key, reason) => {
    const media = await mediaServer(answers);
    await expect(roomOn(media, createKnownWorkers()("server"), key)).rejects.toMatchObject({
      reason,
      message: expect.not.stringMatching(/out of nodes|invalid token/),
    });
  });

  test("a media server that does not answer, or whose address is private, has its own reason", async () => {
    await expect(roomOn({ url: "ws://127.0.0.1:9" })).rejects.toMatchObject({ reason: "media_unreachable" });
    const server = createMediaServer("ws://127.0.0.1:9", KEY, "refuse");
    await expect(server.createRoom("room-1", never)).rejects.toMatchObject({
      reason: "connection_refused",
      message: expect.stringContaining("SVC_OUTBOUND_PRIVATE"),
    });
  });

  test("addresses of a media server keep their security and their path", () => {
    expect(addressFor("http", "wss://media.example.com/")).toBe("https://media.example.com");
    expect(addressFor("ws", "http://127.0.0.1:7880")).toBe("ws://127.0.0.1:7880");
    expect(addressFor("ws", "https://media.example.com/eu")).toBe("wss://media.example.com/eu");
  });
});

describe("a room by the customer's token endpoint", () => {
  async function endpoint(answer: (response: ServerResponse) => void) {
    const requests: { headers: IncomingHttpHeaders; body: unknown }[] = [];
    const server = createServer(async (request, response) => {
      requests.push({ headers: request.headers, body: JSON.parse(Buffer.concat(await request.toArray()).toString()) });
      answer(response);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, requests };
  }

  const enter = (media: { url: string }, tokenEndpoint: string, privateAddresses: "allow" | "refuse" = "allow") =>
    openRoomByEndpoint(
      {
        url: media.url,
        tokenEndpoint,
        headers: { "x-team": "voice" },
        room: "room-1",
        metadata: "{}",
        privateAddresses,
      },
      never,
    );
  const answering = (status: number, json: unknown) => (response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));

  test("a room by the customer's token endpoint asks in the format of the platform's token servers, with the customer's headers, and checks the token", async () => {
    const media = await mediaServer();
    const { token } = await roomOn(media);
    const { url, requests } = await endpoint(answering(201, { server_url: media.url, participant_token: token }));
    await expect(enter(media, url)).resolves.toMatchObject({ token });
    expect(requests[0]).toMatchObject({
      headers: { "x-team": "voice" },
      body: { room_name: "room-1", participant_identity: "svc-caller", room_config: { agents: [{ metadata: "{}" }] } },
    });
    expect(media.of("validate")).toHaveLength(1);
  });

  test.each([
    ["refused headers", answering(403, {}), "credential_rejected"],
    ["too many requests", answering(429, {}), "rate_limited"],
    ["a failure", answering(500, {}), "connection_refused"],
    ["no token", answering(200, { jwt: "x" }), "connection_refused"],
    ["no JSON", (response: ServerResponse) => void response.end("<html>"), "connection_refused"],
    [
      "a redirect",
      (response: ServerResponse) => void response.writeHead(302, { location: "/" }).end(),
      "connection_refused",
    ],
    ["a large answer", (response: ServerResponse) => void response.end("x".repeat(100_000)), "connection_refused"],
    ["a token that the media server refuses", answering(200, { token: "a.b.c" }), "credential_rejected"],
  ])("%s has its own reason", async (_name, answer, reason) => {
    const media = await mediaServer();
    await expect(enter(media, (await endpoint(answer)).url)).rejects.toMatchObject({ reason });
  });

  test("a token that the media server refuses is in no message, and no word of the answer", async () => {
    const media = await mediaServer();
    const { url } = await endpoint(answering(200, { token: "head.claims.signature" }));
    await expect(enter(media, url)).rejects.toThrow(/token endpoint \(401\)\.$/);
  });

  test("a room by the customer's token endpoint is never asked at a private address where strangers may sign up", async () => {
    const media = await mediaServer();
    const { url, requests } = await endpoint(answering(200, {}));
    await expect(enter(media, url, "refuse")).rejects.toMatchObject({ reason: "connection_refused" });
    expect(requests).toEqual([]);
  });
});

describe("the metadata of a dispatch", () => {
  const svc = { simulationId: "sim_1", attempt: 1, tools: { names: ["book"], token: "t" } };

  test("the metadata of a dispatch has the simulation beside the members of the connection's metadata", () => {
    expect(JSON.parse(dispatchMetadata('{"tenant":"a"}', svc))).toEqual({ tenant: "a", svc });
    expect(JSON.parse(dispatchMetadata(undefined, svc))).toEqual({ svc });
  });

  test.each(["tenant a", "[1]", '"a"', "{"])(
    "the metadata of a dispatch is refused when the connection's metadata is %s",
    (configured) => {
      expect(metadataProblem(configured, [])).toMatch(/not a JSON object/);
    },
  );

  test("the metadata of a dispatch is refused when the names of the mock tools have no room in it", () => {
    const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(200, "ü"));
    expect(metadataProblem("{}", names.slice(0, 50))).toBeUndefined();
    expect(metadataProblem("{}", names)).toMatch(/room for 32768: mock fewer tools/);
  });
});

test("a machine without the package for rooms gets the command that installs its exact version", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-packages-"));
  stops.push(() => rmSync(folder, { recursive: true }));
  const command = `npm install --prefix "${folder}" @livekit/rtc-node@0.13.34`;
  expect(missingRoomPackage([folder])).toContain(command);
  const installed = join(folder, "node_modules/@livekit/rtc-node");
  mkdirSync(join(installed, "dist"), { recursive: true });
  writeFileSync(join(installed, "dist/index.cjs"), "");
  writeFileSync(join(installed, "package.json"), JSON.stringify({ version: "0.13.0", main: "dist/index.cjs" }));
  expect(missingRoomPackage([folder])).toContain(command);
});

describe("a run over rooms", () => {
  let server: SharedServer;
  let media: FakeMediaServer;
  beforeAll(async () => {
    server = await shareServer();
    media = await startFakeMediaServer(KEY.apiSecret);
  });
  afterAll(async () => {
    await server.stop();
    media.stop();
  });

  test("a run over rooms is refused in the plan when the dispatch's metadata cannot carry it", async () => {
    const target = await roomConnection(server.client, { ...media, ...KEY }, { metadata: "tenant a" });
    const testVersions = await versionsOf(server.client, [{ scenario: "Says: Hello.", behaviors: ["greets"] }]);
    await expect(startRun(server.client, { ...target, testVersions })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("not a JSON object"),
    });
  });

  test("a run over rooms blames no agent when the media server takes requests and carries no sound, and closes the room", async () => {
    const target = await roomConnection(server.client, { ...media, ...KEY });
    const testVersions = await versionsOf(server.client, [{ scenario: "Says: Hello.", behaviors: ["greets"] }]);
    const run = await startRun(server.client, { ...target, testVersions, caller: "scripted" });
    await settled(server.client, run.id, 60_000);
    const [simulation] = await simulationsOf(server.client, run.id);
    expect(simulation).toMatchObject({
      status: "failed",
      verdict: "errored",
      endingReason: "media_unreachable",
      endedBy: "outside",
    });
    expect(simulation!.message).not.toContain("access_token=ey");
    expect(media.of("DeleteRoom")).toHaveLength(1);
    expect(media.of("CreateDispatch")).toHaveLength(0);
  }, 70_000);
});

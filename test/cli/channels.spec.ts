import type { AlertRule, TraceSummary } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendChannelCalls } from "../support/channel-calls.ts";
import { openHome } from "../support/cli.ts";
import { traceIdOf } from "../support/ingest.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  const startMs = Date.now() - 7_200_000;
  await sendChannelCalls(
    server,
    server.client,
    (["telephone", "room", null, "text"] as const).map((channel, n) => ({ trace: n + 1, channel, startMs })),
  );
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const printed = async (args: string[]) => {
  const { exitCode, stdout, stderr } = await home.svc(args);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
};

test("a list has a column of channels and takes one or several; a conversation shows its channel, even an unknown one", async () => {
  expect(await printed(["traces", "list"])).toMatch(/^STARTED.* CHANNEL /);
  const channelsOf = async (...flags: string[]) =>
    new Set(
      (await home.json<{ items: TraceSummary[] }>(["traces", "list", ...flags])).items.map(({ channel }) => channel),
    );
  expect(await channelsOf()).toEqual(new Set(["room", "telephone", "text", null]));
  expect(await channelsOf("--channel", "telephone")).toEqual(new Set(["telephone"]));
  expect(await channelsOf("--channel", "text", "--channel", "room")).toEqual(new Set(["room", "text"]));
  expect(await printed(["traces", "show", traceIdOf(1)])).toMatch(/\n *Channel +telephone\n/);
  expect(await printed(["traces", "show", traceIdOf(3)])).toMatch(/\n *Channel +unknown\n/);
});

test("metrics take a channel", async () => {
  const samplesOf = async (...flags: string[]) =>
    (
      await home.json<{ series: { period: { samples: number } }[] }>([
        "metrics",
        "--measure",
        "response_latency",
        ...flags,
      ])
    ).series.map(({ period }) => period.samples);
  expect(await samplesOf()).toEqual([3]);
  expect(await samplesOf("--channel", "telephone")).toEqual([1]);
  expect(await samplesOf("--channel", "text")).toEqual([]);
  const lines = await printed(["metrics", "--measure", "response_latency", "--by-channel", "--bucket", "day"]);
  expect(lines).toMatch(/^AGENT +CHANNEL +MEASURE .*\nHotel +room .*\nHotel +telephone .*\nHotel +\? /);
});

test("a rule is made with channels, shown with them, and goes back to all channels", async () => {
  const made = await printed([
    ..."alert-rules create --name Slow --measure response_latency --above 2s".split(" "),
    ..."--channel telephone --channel room".split(" "),
  ]);
  expect(made).toMatch(/\n *Channels +telephone, room\n/);
  const rule = () => home.json<AlertRule>(["alert-rules", "show", "Slow"]);
  expect((await rule()).channels).toEqual(["telephone", "room"]);
  await printed(["alert-rules", "edit", "Slow", "--channel", "text"]);
  expect((await rule()).channels).toEqual(["text"]);
  expect(await printed(["alert-rules", "edit", "Slow", "--every-channel"])).not.toContain("Channels");
  expect((await rule()).channels).toEqual([]);
});

test("a channel that does not exist is a wrong command line, which names those that do", async () => {
  for (const args of [["traces", "list"], ["metrics"], ["alert-rules", "create", "--ready", "slow-answers"]]) {
    const { exitCode, stderr } = await home.svc([...args, "--channel", "phone"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/telephone, room, text/)]);
  }
});

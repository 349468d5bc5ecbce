import { fileURLToPath } from "node:url";
import type { ListedTurn } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const VOICE = fileURLToPath(new URL("../fixtures/otlp-captures/js-1.9.0-voice", import.meta.url));

let server: SharedServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const listed = async (...flags: string[]) =>
  (await home.json<{ items: ListedTurn[] }>(["turns", "list", ...flags])).items;

test("`svc turns list` has an empty state, then the turns of a recorded session in each order, and a page for each turn's trace", async () => {
  expect((await home.svc(["turns", "list"])).stdout).toMatch(/^No turns match\. /);
  await home.svc(["traces", "send", VOICE]);
  await server.conversationsRead();

  const newest = await listed("--limit", "100");
  expect(newest.length).toBeGreaterThan(1);
  expect(await listed("--limit", "100", "--sort", "startedAt")).toEqual(newest.toReversed());
  const times = (await listed("--limit", "100", "--sort=-answerMs")).map(({ answerMs }) => answerMs ?? -1);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(times[0]).toBeGreaterThan(0);

  const { stdout } = await home.svc(["turns", "list", "--sort=-answerMs", "--limit", "1"]);
  expect(stdout).toMatch(/^STARTED +ANSWERED IN +FROM .*TRACE\n.* [0-9a-f]{32}\n/);
  expect((await home.svc(["traces", "show", newest[0]!.traceId])).exitCode).toBe(0);
});

test("`svc turns list` filters by a tool, by a time to answer and by an interruption", async () => {
  const all = await listed("--limit", "100");
  const called = all.filter(({ tools }) => tools.length > 0);
  expect(called.length).toBeGreaterThan(0);
  expect(await listed("--tool", called[0]!.tools[0]!)).toEqual(called);
  expect(await listed("--tool", "no_such_tool")).toEqual([]);

  const slow = all.filter(({ answerMs }) => answerMs !== null && answerMs > 500);
  expect(await listed("--slower-than", "500", "--limit", "100")).toEqual(slow);
  const uncut = all.filter(({ interrupted }) => interrupted === false);
  expect(await listed("--no-interrupted", "--limit", "100")).toEqual(uncut);
});

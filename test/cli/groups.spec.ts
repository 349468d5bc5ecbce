import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FailureGroup, GroupMember } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTestFile } from "../../packages/cli/src/test-files/test-file.ts";
import { openHome } from "../support/cli.ts";
import { traceIdOf } from "../support/ingest.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

type Groups = { items: FailureGroup[] };

let server: TestServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await startServer({ productionPace: { everyMs: 50 }, groups: { pace: { everyMs: 20 } } });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const listed = async (...more: string[]) => (await home.json<Groups>(["groups", "list", ...more])).items;

test("groups are listed, shown, resolved, ignored and reopened, and their conversations become test files", async () => {
  expect((await home.svc(["groups", "list"])).stdout).toMatch(/^No failure groups\. /);
  const check = 'never says "guarantee"';
  await server.client.graders.create({ name: "promises", definition: { kind: "check", check }, scope: "production" });
  const said = { 1: "I guarantee that room 7 is free.", 2: "I guarantee the room 9 is free, call 0171 555 1234 now." };
  for (const [trace, words] of Object.entries(said)) {
    await sendSpans(server, server.client, conversation(Number(trace), words));
    await graded(server.client, Number(trace));
  }
  const group = await until("both are in one group", async () => (await listed()).find(({ size }) => size === 2));
  const list = await home.svc(["groups", "list", "--state", "open", "--sort", "size"]);
  expect(list.stdout).toMatch(/FAILURES +14 DAYS +STATE[^]* 2 +·+.*open +Behavior: never says "guarantee"/);
  expect((await home.svc(["groups", "list", "--agent", "Nobody"])).stdout).toBe("No such group.\n");
  const shown = await home.json<{ group: FailureGroup; members: GroupMember[] }>(["groups", "get", group.id]);
  expect([shown.group.id, shown.members.length]).toEqual([group.id, 2]);
  expect((await home.svc(["groups", "get", group.id])).stdout).toContain(`${traceIdOf(1)} turn 1`);

  for (const [command, state] of [
    ["resolve", "resolved"],
    ["reopen", "open"],
    ["ignore", "ignored"],
  ] as const) {
    expect((await home.svc(["groups", command, group.id])).stdout).toContain(group.id);
    expect((await listed("--state", state)).map(({ id }) => id)).toEqual([group.id]);
  }

  await home.svc(["groups", "reopen", group.id]);
  const unknown = await home.svc(["groups", "resolve", group.id, "--in-next-version"]);
  expect(unknown.stderr).toContain("No failure of this group has a version");
  await home.svc(["groups", "resolve", group.id, "--except-version", "41"]);
  expect((await home.svc(["groups", "get", group.id])).stdout).toMatch(/Resolved.*, except in 41/);

  const dir = join(home.folder, "failures");
  const files = await home.json<{ files: string[] }>(["tests", "from-traces", "--group", group.id, "--dir", dir]);
  expect(new Set(files.files).size).toBe(2);
  for (const file of files.files) {
    const written = readTestFile(readFileSync(file, "utf8"));
    expect(written.scenario).toMatch(/\nSays: How are you\?/);
    expect(written.expected_behaviors[0]).toBe(check);
  }
  const named = await home.svc(["tests", "from-traces", traceIdOf(1), traceIdOf(2), "--dir", join(dir, "named")]);
  expect([named.exitCode, named.stdout]).toEqual([0, expect.stringMatching(/^Wrote 2 files:/)]);
  expect(readdirSync(join(dir, "named"))).toHaveLength(2);
  const [edited] = readdirSync(join(dir, "named"));
  writeFileSync(join(dir, "named", edited!), "edited");
  const again = await home.svc(["tests", "from-traces", traceIdOf(1), traceIdOf(2), "--dir", join(dir, "named")]);
  expect(again.stdout.match(/^Left as it is: /gm)).toHaveLength(2);
  expect(readFileSync(join(dir, "named", edited!), "utf8")).toBe("edited");
  expect((await home.json<{ items: object[] }>(["tests", "list"])).items).toEqual([]);
  const both = await home.svc(["tests", "from-traces", traceIdOf(1), "--group", group.id]);
  expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining("Not both.")]);
  expect((await home.svc(["groups", "get", "grp_00000000000000000000000000"])).exitCode).not.toBe(0);
});

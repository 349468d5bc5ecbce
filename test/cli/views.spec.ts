import type { SavedView } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { conversation, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  await sendSpans(server, server.client, [...conversation(1, "I am fine."), ...conversation(2, "It is open.")]);
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const out = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await home.svc(args);
  expect(exitCode, stderr).toBe(0);
  return stdout;
};
const refused = async (...args: string[]) => {
  const { exitCode, stderr } = await home.svc(args);
  expect(exitCode).not.toBe(0);
  return stderr;
};

test("a view is saved, listed, opened, renamed and deleted by name", async () => {
  expect(await out("views", "list")).toMatch(/No saved views\. To save one: svc views create/);
  expect(await out("views", "create", "Fine", "--search", "fine", "--sort=startedAt")).toMatch(
    /^Saved the view "Fine" of conversations \(viw_\w+\): search fine, sort startedAt\./,
  );
  const slow = [
    "views",
    "create",
    "Slow",
    "--list",
    "turns",
    "--slower-than",
    "2000",
    "--no-interrupted",
    "--last",
    "7d",
  ];
  const { query } = await home.json<SavedView>(slow);
  expect(query).toEqual({ list: "turns", slowerThanMs: 2_000, interrupted: false, lastHours: 168 });
  expect(await out("views", "list")).toMatch(/Slow +turns[^]*Fine +conversations/);
  const { items } = await home.json<{ items: object[] }>(["traces", "list"]);
  expect(items).toHaveLength(2);
  const found = await home.json<{ items: object[] }>(["traces", "list", "--view", "Fine"]);
  expect(found.items).toHaveLength(1);
  const other = await home.json<{ items: object[] }>(["traces", "list", "--view", "Fine", "--search", "open"]);
  expect(other.items).toHaveLength(1);
  expect(other.items).not.toEqual(found.items);
  expect(await out("turns", "list", "--view", "Slow")).toMatch(/No turns match/);
  expect(await out("views", "rename", "Fine", "Fine ones")).toMatch(/^The view viw_\w+ is now "Fine ones"/);
  expect(await out("views", "delete", "Fine ones", "--yes")).toMatch(/^Deleted the view "Fine ones"/);
});

test("what is wrong is refused with what to do", async () => {
  await out("views", "create", "Errors", "--status", "error");
  expect(await refused("views", "create", "Errors", "--status", "ok")).toMatch(
    /Another view of the project has this name/,
  );
  expect(await refused("views", "create", "Nothing")).toMatch(/needs a filter, a range or an order/);
  expect(await refused("views", "create", "Week", "--last", "week")).toMatch(/"week" is not a range\. Write 24h or 7d/);
  expect(await refused("views", "create", "Turns", "--list", "turns", "--status", "error")).toMatch(/no "status" here/);
  expect(await refused("views", "create", "Odd", "--sort=loudest")).toMatch(/sort/);
  expect(await refused("traces", "list", "--view", "Error")).toMatch(/no view "Error"[^]*Errors[^]*svc views list/);
  expect(await refused("turns", "list", "--view", "Errors")).toMatch(
    /This is a view of conversations\. Use `svc traces list --view "Errors"`/,
  );
});

test("a view of an archived agent says so, and shows its earlier conversations", async () => {
  const { agent } = await server.client.agents.register({ name: "Clinic" });
  await out("views", "create", "Clinic", "--agent", "Clinic");
  await server.client.agents.archive({ agentId: agent.id });
  const { exitCode, stderr } = await home.svc(["traces", "list", "--view", "Clinic"]);
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/Clinic: The agent is archived/)]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { chatConnection } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const fileOf = (name: string, behavior: string) =>
  `---\nname: ${name}\n---\n\n## Scenario\n\nSays: Hello.\n\n## Expected behaviors\n\n- ${behavior}\n`;

let server: SharedServer;
let agent: Awaited<ReturnType<typeof startChatAgent>>;
let home: ReturnType<typeof openHome>;
let folder: string;
/** The agent answers only when this promise has resolved. */
let mayAnswer = Promise.resolve();

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(async ({ event }) => {
    if (event === "start") return {};
    await mayAnswer;
    return { message: "You are booked.", ended: true };
  });
  await chatConnection(server.client, agent.url);
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  folder = mkdtempSync(join(tmpdir(), "svc-watch-"));
  mkdirSync(join(folder, "desk"));
  writeFileSync(join(folder, "books.md"), fileOf("Books", "says /booked/"));
  writeFileSync(join(folder, "desk/asks.md"), fileOf("Asks", "says /booked/"));
});
afterAll(async () => {
  agent.stop();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const runs = async () => (await server.client.runs.list({})).runs;

test("`tests watch` plays a changed file at once, names mistakes, and cancels what it plays when a person ends it", async () => {
  const watching = home.start(["tests", "watch", folder]);
  await until("the watch", () => watching.stderr().includes("Watching 2 tests."));
  writeFileSync(join(folder, "desk/asks.md"), fileOf("Asks", "says /booked|done/"));
  await until("a run with its verdict", async () => (await runs()).some(({ gradingSettled }) => gradingSettled));

  writeFileSync(join(folder, "books.md"), fileOf("Books", "says /booked/").replace("## Scenario", "## Scene"));
  await until("the mistake", () => /books\.md:5: has text before its first section/.test(watching.stderr()));
  writeFileSync(join(folder, "books.md"), fileOf("Books", 'says "book'));
  await until("the refusal", () => /books\.md:11: behavior 1: The quote " does not close/.test(watching.stderr()));
  expect(await runs()).toHaveLength(1);

  const { promise, resolve } = Promise.withResolvers<void>();
  mayAnswer = promise;
  writeFileSync(join(folder, "books.md"), fileOf("Books", "says /booked/"));
  await until("the agent to be asked", () => agent.heard.filter(({ event }) => event === "message").length === 2);
  watching.kill("SIGINT");
  const { exitCode, stdout, stderr } = await watching.ended;
  resolve();
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Run [^]*Result +1 passed[^]*Asks/)]);
  expect(stderr).toMatch(/The run run_\w+ is canceled\./);
  const all = await runs();
  expect(all.map(({ status }) => status)).toEqual(["canceled", "completed"]);
  expect((await server.client.tests.list({})).items.map(({ name }) => name).sort()).toEqual(["Asks", "Books"]);
});

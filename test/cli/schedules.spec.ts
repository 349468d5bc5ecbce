import type { Run, Schedule } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { chatConnection, settled } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { aTest } from "../support/world.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;
let agent: string;
beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  const { id: testId } = await server.client.tests.create(
    aTest({ name: "Books", scenario: "Caller says: Hello.", expected_behaviors: ['says "fine"'] }),
  );
  await server.client.tests.setTags({ testId, tags: ["smoke"] });
  const { agentId } = await chatConnection(server.client, "http://127.0.0.1:9/");
  agent = (await server.client.agents.get({ agentId })).agent.name;
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const out = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await home.svc(["schedules", ...args]);
  expect(exitCode, stderr).toBe(0);
  return stdout;
};

test("schedules are created, listed, shown, edited, paused, resumed, run and deleted by name", async () => {
  expect(await out("list")).toMatch(/No schedules\. To create one: svc schedules create --cron/);
  const times = ["--cron", "0 6 * * 1-5", "--tz", "Europe/Berlin"];
  const created = await out("create", ...times, "--suite", "Default", "--agent", agent, "--require", "4/5");
  expect(created).toMatch(
    /^schedule +Default, 0 6 \* \* 1-5 \(sch_\w+\)\ntimes +At 06:00 from Monday to Friday \(0 6 \* \* 1-5, Europe\/Berlin\)[^]*plays +suite "Default"[^]*requires +4\/5[^]*Next times:\n {2}\d{4}-\d\d-\d\d 06:00/,
  );
  const name = "Default, 0 6 * * 1-5";
  expect(await out("list")).toMatch(/At 06:00 from Monday to Friday \(Europe\/Berlin\)[^]*none/);
  expect(await out("edit", name, "--name", "Nightly", "--cron", "0 5 * * *", "--test", "Books")).toMatch(
    /At 05:00 every day[^]*plays +1 test/,
  );
  expect(await out("pause", "Nightly")).toMatch(/next +paused/);
  expect(await out("resume", "Nightly")).toMatch(/Next times:/);
  const { run } = await home.json<{ run: Run }>(["schedules", "run", "Nightly"]);
  await settled(server.client, run.id);
  expect(await out("show", "Nightly")).toMatch(new RegExp(`undecided[^]*${run.id}`));
  const { items } = await home.json<{ items: Run[] }>(["runs", "list", "--schedule", "Nightly"]);
  expect(items.map(({ id }) => id)).toEqual([run.id]);
  expect(await out("delete", "Nightly", "--yes")).toMatch(/^Deleted the schedule "Nightly"/);
});

test("a preview says the words and the next times, and a wrong expression is refused with its correction", async () => {
  expect(await out("preview", "*/15 8-17 * * 1-5", "--tz", "America/New_York")).toMatch(
    /^Every 15 minutes from 08:00 to 17:59 from Monday to Friday \(America\/New_York\)(\n {2}\d{4}-\d\d-\d\d \d\d:\d\d \(.* UTC\)){5}/,
  );
  const refused = async (...args: string[]) => (await home.svc(["schedules", ...args])).stderr;
  expect(await refused("preview", "61 * * * *")).toMatch(/"61" is no minute/);
  expect(await refused("create", "--cron", "0 6 * * *")).toMatch(/nothing to run\. Set --suite/);
  expect(await refused("create", "--cron", "0 6 * * *", "--tag", "smoke", "--test", "Books")).toMatch(
    /--test cannot be/,
  );
  expect(await refused("create", "--cron", "0 6 * * *", "--tag", "smoke", "--require", "most")).toMatch(/4\/5 or 80%/);
  expect(await refused("show", "Nobody")).toMatch(/no schedule "Nobody"/);
  const byTag = await home.json<Schedule>(["schedules", "create", "--cron", "0 6 * * *", "--tag", "smoke"]);
  expect(byTag).toMatchObject({ tags: ["smoke"], timeZone: "UTC" });
  expect(await refused("edit", byTag.id)).toMatch(/Nothing to change/);
});

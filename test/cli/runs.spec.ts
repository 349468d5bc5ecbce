import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Run, RunPlan, Simulation } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunReport } from "../../packages/cli/src/runs/report.ts";
import { type ChatAgent, type Spoken, startChatAgent, useTool } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { chatConnection } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, unknownId } from "../support/world.ts";
import { parseXml } from "../support/xml.ts";

let server: SharedServer;
let agent: ChatAgent;
let home: ReturnType<typeof openHome>;
let folder: string;
let agentId: string;
let suiteId: string;

let calls = 0;

/** An agent that always books three nights. In one of five lucky calls, it says "Farewell!" instead of "Goodbye!". */
async function clerk(spoken: Spoken) {
  if (spoken.event === "start") return { message: "Grand Hotel, how can I help?" };
  if (/lucky/.test(spoken.message!)) return { message: calls++ % 5 === 0 ? "Farewell!" : "Goodbye!", ended: true };
  if (!/night/.test(spoken.message!)) return { message: "Goodbye!", ended: true };
  await useTool(spoken, "book_room", { nights: 3 });
  return { message: "Three nights, then." };
}

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(clerk);
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  folder = mkdtempSync(join(tmpdir(), "svc-runs-"));
  ({ agentId } = await chatConnection(server.client, agent.url));
  suiteId = (await server.client.suites.create({ name: "Booking" })).testSuite.id;
  const scenario = "Caller says:\n- Two nights, please.\n- Thank you, bye.";
  const mock_tools = [{ tool: "book_room", answer: { code: "XK-42" } }];
  const book = { name: "Books a room", suite: suiteId, scenario, mock_tools };
  await server.client.tests.create(aTest({ ...book, expected_behaviors: ["calls book_room with nights=2"] }));
  const polite = { name: "Says goodbye", suite: suiteId, scenario, expected_behaviors: ['says "goodbye"'] };
  await server.client.tests.create(aTest(polite));
  const half = { name: "Half checked", scenario, expected_behaviors: ['says "goodbye"', "Is kind.", "Is brief."] };
  await server.client.tests.create(aTest(half));
  const lucky = { name: "Lucky", scenario: "Caller says:\n- A lucky call.", expected_behaviors: ['says "goodbye"'] };
  await server.client.tests.create(aTest(lucky));
  await server.client.tests.create(aTest({ name: "Is kind", scenario, expected_behaviors: ["Is kind."] }));
});
afterAll(async () => {
  agent.stop();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

describe("`runs start`", () => {
  test("`runs start` runs a suite, prints each verdict with its evidence, writes JUnit and exits with 1 for a failure", async () => {
    const junit = join(folder, "result.xml");
    const summary = join(folder, "summary.md");
    const { exitCode, stdout, stderr } = await home.svc(["runs", "start", "--suite", "Booking", "--junit", junit], {
      env: { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary },
    });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/Result +1 passed, 1 failed/);
    expect(stdout).toMatch(/Books a room +failed +1 of 1 +\d+ .* agent_ended +sim_/);
    expect(stdout).toMatch(
      /failed: calls book_room with nights=2\n +book_room was never called with these arguments\. It was called with \{"nights":3\}\.\n +tool call 0/,
    );
    expect(stderr).toMatch(/^passed +Says goodbye/m);
    expect(stderr).toMatch(/^::error title=Books a room::failed%3A|^::error title=Books a room::failed: /m);
    expect(readFileSync(summary, "utf8")).toContain("| failed | Books a room |");
    expect(parseXml(readFileSync(junit, "utf8")).children[0]!.attributes).toMatchObject({
      tests: "2",
      failures: "1",
      errors: "0",
    });
  });

  test("`runs start` shows in a simulation how each expected behavior was read", async () => {
    const args = ["runs", "start", "--test", "Books a room", "--agent", agentId];
    const { simulations } = await home.json<{ simulations: Simulation[] }>(args);
    expect((await home.svc(["simulations", "show", simulations[0]!.id])).stdout).toMatch(
      /failed +calls book_room with nights=2 \(by check\)\n +read as: The agent calls `book_room` with nights = 2\./,
    );
  });

  test("`runs start` exits with 0 when every simulation passed, and prints the result as JSON", async () => {
    const args = ["runs", "start", "--test", "Says goodbye", "--agent", agentId, "--iterations", "2", "--json"];
    const { exitCode, stdout } = await home.svc([...args, "--name", "Nightly", "--idempotency-key", "night-1"]);
    const { run, simulations } = JSON.parse(stdout) as { run: Run; simulations: unknown[] };
    expect([exitCode, run.name, run.passedVerdicts, simulations.length]).toEqual([0, "Nightly", 2, 2]);
    const again = await home.json<{ run: Run }>([
      ...args.slice(0, -1),
      "--name",
      "Nightly",
      "--idempotency-key",
      "night-1",
    ]);
    expect(again.run.id).toBe(run.id);
    expect((await home.svc(["runs", "watch", run.id])).exitCode).toBe(0);
  });

  test("`runs start` exits with 2 when nothing can be graded, and says what is missing", async () => {
    const { exitCode, stdout } = await home.svc(["runs", "start", "--test", "Is kind"]);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/not graded: Is kind\.\n/);
    expect(stdout).toMatch(/1 of 1 behavior was not graded\. Set a language model .*docs\/behaviors\.md/);
  });

  test("`runs start` ends with 2 when a part of the behaviors was not graded, and every surface says so once with the remedy", async () => {
    const junit = join(folder, "half.xml");
    const summary = join(folder, "half.md");
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
    const started = await home.svc(["runs", "start", "--test", "Half checked", "--junit", junit], { env });
    expect(started.exitCode).toBe(2);
    const runId = /run_\w+/.exec(started.stdout)![0];
    const simulationId = /sim_\w+/.exec(started.stdout)![0];
    const [, log, annotation] = /^(not graded .*)\n(::.*)$/m.exec(started.stderr)!;
    expect(log).toMatch(/Half checked .* 1 of 3 behaviors decided$/);
    const shown = await home.svc(["runs", "show", runId]);
    expect(shown.stdout).toMatch(/^Started +just now with (a key|the key .+)$/m);
    const simulation = await home.svc(["simulations", "show", simulationId]);
    const report = await home.json<RunReport>(["runs", "show", runId]);
    const xml = parseXml(readFileSync(junit, "utf8"));
    const texts = [
      started.stdout,
      shown.stdout,
      simulation.stdout,
      annotation!,
      readFileSync(summary, "utf8").replaceAll("\\", ""),
      xml.children[0]!.children.at(-1)!.text,
      report.notices.join("\n"),
    ];
    for (const text of texts) {
      expect(text.match(/2 of 3 behaviors were not graded\. Set a language model/g)).toHaveLength(1);
      expect(text.match(/Set a language model/g)).toHaveLength(1);
    }
    expect(started.stdout).toMatch(/not graded +1 of 3 /);
    expect(simulation.stdout).toMatch(/Decided +1 of 3 behaviors/);
    expect(xml.children[0]!.attributes).toMatchObject({ tests: "1", failures: "0", errors: "1", skipped: "0" });
    expect(report).toMatchObject({ outcome: "undecided", run: { passRate: 0, undecidedBehaviors: 2 } });
    expect((await home.svc(["runs", "watch", runId])).exitCode).toBe(2);
    expect((await home.svc(["runs", "list"])).stdout).toMatch(new RegExp(`1 not graded .* 0 % +${runId}`));
  });

  test("`runs start` passes on a part of the behaviors with --allow-ungraded, and shows that the run allows it", async () => {
    const junit = join(folder, "allowed.xml");
    const args = ["runs", "start", "--test", "Half checked", "--allow-ungraded", "--junit", junit];
    const { exitCode, stdout } = await home.svc(args);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/Ungraded +allowed[^]*2 of 3 behaviors[^]*passed +1 of 3/),
    ]);
    expect(readFileSync(junit, "utf8")).toMatch(/name="allow-ungraded" value="true"/);
    expect((await home.svc(["runs", "start", "--test", "Is kind", "--allow-ungraded"])).exitCode).toBe(2);
    const runId = /run_\w+/.exec(stdout)![0];
    expect((await home.svc(["runs", "list"])).stdout).toMatch(
      new RegExp(`1 passed \\(ungraded allowed\\) .* ${runId}`),
    );
  });

  test("`runs start` writes simulations without a decision as skipped with --junit-ungraded skipped", async () => {
    const junit = join(folder, "skipped.xml");
    const args = ["runs", "start", "--test", "Is kind", "--junit", junit, "--junit-ungraded", "skipped"];
    expect((await home.svc(args)).exitCode).toBe(2);
    expect(parseXml(readFileSync(junit, "utf8")).children[0]!.attributes).toMatchObject({ errors: "0", skipped: "1" });
  });

  test("`runs start` with --require counts the iterations of each test, and shows equal failures once", async () => {
    calls = 0;
    const args = ["runs", "start", "--test", "Lucky", "--iterations", "5"];
    const gated = await home.svc([...args, "--require", "4/5"]);
    expect([gated.exitCode, gated.stdout]).toEqual([0, expect.stringMatching(/Lucky +met +4 of 5 +1 +0 +0 +5 of 5\n/)]);
    expect(gated.stdout).toMatch(/Pass\^k +pass\^1 80 %, pass\^2 60 %, pass\^3 40 %, pass\^5 0 %/);
    const all = await home.svc(args);
    expect([all.exitCode, all.stdout]).toEqual([
      1,
      expect.stringMatching(/4 of 5 +Lucky\n +failed in 1 of 5: says "goodbye"\n/),
    ]);
    expect((await home.svc(["runs", "start", "--test", "Is kind", "--require", "50%"])).exitCode).toBe(2);
  });

  test("`runs start` prints the plan and starts nothing with --dry-run, and ends when the run is created with --no-wait", async () => {
    const before = (await server.client.runs.list()).runs.length;
    const { plan } = await home.json<{ plan: RunPlan }>(["runs", "start", "--suite", suiteId, "--dry-run"]);
    expect(plan.simulationCount).toBe(2);
    const reading = "The agent calls `book_room` with nights = 2.";
    expect(plan.tests.map(({ readings }) => readings[0]!.reading)).toEqual([reading, 'The agent says "goodbye".']);
    expect((await home.svc(["runs", "start", "--suite", suiteId, "--dry-run"])).stdout).toContain(
      `Books a room\n- calls book_room with nights=2\n  check: ${reading}`,
    );
    expect((await home.svc(["runs", "start", "--suite", suiteId, "--dry-run"])).stdout).toMatch(
      /Duration +(about .* m?s|not known)\nJudge cost +0\n/,
    );
    expect((await server.client.runs.list()).runs).toHaveLength(before);
    const { exitCode, stdout } = await home.svc(["runs", "start", "--suite", suiteId, "--no-wait"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Started run_\w+ with 2 simulations\./)]);
  });

  test.each([
    [["--suite", "Booking", "--test", "Is kind"], /--suite cannot be combined with --test/],
    [[], /There is nothing to run\. Set --suite/],
    [["--suite", "Booking", "--iterations", "0"], /greater than or equal to 1/],
    [["--suite", "Booking", "--require", "5/4"], /Write it as 4\/5 or 80%/],
    [["--test", "Flies"], /There is no test "Flies"/],
    [["--test-version", unknownId("tstv")], /.+/],
  ])("%j exits with 3, which is not the exit code of a verdict", async (args, message) => {
    const { exitCode, stderr } = await home.svc(["runs", "start", ...args]);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(message)]);
  });
});

test("`runs list`, `runs show` and `simulations show` print the same run", async () => {
  const { run } = await home.json<{ run: Run }>(["runs", "start", "--test", "Books a room"]);
  expect((await home.svc(["runs", "list"])).stdout).toMatch(new RegExp(`1 failed .* 0 % +${run.id}`));
  const shown = await home.svc(["runs", "show", run.id]);
  expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringContaining("calls book_room with nights=2")]);
  const { simulations } = await server.client.runs.simulations({ runId: run.id });
  const { stdout } = await home.svc(["simulations", "show", simulations[0]!.id]);
  expect(stdout).toMatch(/1 +0:00\.\d +caller +Two nights, please\./);
  expect(stdout).toMatch(/→ \[0\] book_room \{"nights":3\}\n +← \{"code":"XK-42"\}/);
  expect(stdout).toMatch(/failed +calls book_room with nights=2 \(by check\)/);
  expect(stdout).toMatch(/Tools called +book_room/);
  expect((await home.json<Simulation>(["simulations", "show", simulations[0]!.id])).verdict).toBe("failed");
});

test("`runs compare` says in words what changed, and `runs cancel` changes nothing in a run that has ended", async () => {
  const { runs } = await server.client.runs.list();
  const [second, first] = runs.filter(({ failedVerdicts }) => failedVerdicts > 0);
  const { exitCode, stdout } = await home.svc(["runs", "compare", first!.id, second!.id]);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Passing: not distinguishable: [^]*not two agents\.[^]*first +0 of 1 +0 %[^]*No simulation passed in one/,
    ),
  ]);
  expect((await home.svc(["runs", "cancel", first!.id])).stdout).toMatch(/is completed: /);
});

test("`tests history` and `agents history` show the pass rate of each run", async () => {
  const { run } = await home.json<{ run: Run }>(["runs", "start", "--test", "Books a room"]);
  const line = new RegExp(`just now +0 of 1 +0 % +0 +0 +${run.id}`);
  expect((await home.svc(["tests", "history", "Books a room"])).stdout).toMatch(line);
  const { agents } = await server.client.agents.list();
  const { agent } = { agent: agents.find(({ id }) => id === run.agentId)! };
  const shown = await home.svc(["agents", "history", agent.name, "--limit", "1"]);
  expect(shown.stdout).toMatch(new RegExp(`${line.source}[^]*There are more than these 1`));
});

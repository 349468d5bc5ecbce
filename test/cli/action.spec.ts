import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { type Comment, startFakeGitHub } from "../support/fake-github.ts";
import { chatConnection } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { parseXml } from "../support/xml.ts";

const ROOT = join(import.meta.dirname, "../..");
const TOKEN = "ghs_token";
const TEST_FILE = `---
name: Books a room for @ada
---

## Scenario

Says: I would like a room.

## Expected behaviors

- says /booked/i
`;
type Step = {
  name: string;
  id?: string;
  if?: string;
  run?: string;
  uses?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
};
const action = parse(readFileSync(join(ROOT, "action.yml"), "utf8")) as {
  inputs: Record<string, { default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
};

let github: Awaited<ReturnType<typeof startFakeGitHub>>;
let server: SharedServer;
let [good, bad]: ChatAgent[] = [];
let folder: string;
beforeAll(async () => {
  github = await startFakeGitHub(TOKEN);
  server = await shareServer();
  good = await startChatAgent(() => ({ message: "You are booked.", ended: true }));
  bad = await startChatAgent(() => ({ message: "No rooms are left.", ended: true }));
  folder = mkdtempSync(join(tmpdir(), "svc-action-spec-"));
  mkdirSync(join(folder, "tests/desk"), { recursive: true });
  writeFileSync(
    join(folder, "tests/desk/once.md"),
    TEST_FILE.replace("name: Books a room for @ada", "name: Books once\nagent: Front desk\niterations: 1"),
  );
  writeFileSync(join(folder, "tests/books.md"), TEST_FILE);
});
afterAll(async () => {
  for (const fake of [github, good, bad]) fake?.stop();
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

/** Runs a step of action.yml as GitHub does, with the inputs in the environment variables that the step names. */
async function runStep(name: string, inputs: Record<string, string>, job: Record<string, string> = {}) {
  const step = action.runs.steps.find((one) => one.name === name)!;
  const given: Record<string, string> = { ...values(action.inputs), ...inputs };
  const output = join(folder, "output");
  writeFileSync(output, "");
  const event = join(folder, "event.json");
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
  const variables = Object.entries(step.env ?? {}).map(([variable, value]) => [
    variable,
    value.replaceAll(/\$\{\{ (?:inputs|steps\.play\.outputs)\.([\w-]+) \}\}/g, (_, input: string) => given[input]!),
  ]);
  const env = {
    PATH: process.env.PATH!,
    HOME: folder,
    XDG_CACHE_HOME: join(ROOT, "node_modules/.cache"),
    RUNNER_TEMP: folder,
    GITHUB_ACTION_PATH: ROOT,
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: "acme/desk",
    GITHUB_EVENT_PATH: event,
    GITHUB_OUTPUT: output,
    GITHUB_HEAD_REF: "feature",
    GITHUB_BASE_REF: "main",
    GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    ...(Object.fromEntries(variables) as Record<string, string>),
    ...job,
  };
  const child = spawn("bash", ["-euo", "pipefail", "-c", step.run!], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const outputs = Object.fromEntries(
    readFileSync(output, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  return { exitCode, printed: stdout + stderr, outputs };
}

const values = (inputs: typeof action.inputs) =>
  Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
const play = (inputs: Record<string, string>, job?: Record<string, string>) => runStep("Play the tests", inputs, job);
const comment = (report: string, job?: Record<string, string>) =>
  runStep("Comment the comparison", { report, token: TOKEN }, job);

test("the first step installs what the service needs, and each step names only inputs and scripts that exist", async () => {
  expect(action.runs.using).toBe("composite");
  const { exitCode, printed } = await runStep("Install svc", {});
  expect([exitCode, printed]).toEqual([0, expect.stringMatching(/svc\/\d/)]);
  for (const { run, env = {}, if: condition = "" } of action.runs.steps.filter((step) => step.run !== undefined)) {
    const [, script] = /"\$GITHUB_ACTION_PATH\/([\w./-]+)"/.exec(run!)!;
    expect(existsSync(join(ROOT, script!)), script).toBe(true);
    for (const [, input] of `${Object.values(env).join(" ")} ${condition}`.matchAll(/inputs\.([\w-]+)/g))
      expect(Object.keys(action.inputs)).toContain(input);
  }
});

test("the packages are restored from a cache that belongs to the lock file, before they are installed", async () => {
  const steps = action.runs.steps.map(({ name }) => name);
  expect(steps.slice(0, 3)).toEqual(["Name the cache", "Restore the packages", "Install svc"]);
  const restore = action.runs.steps[1]!;
  expect(restore.with).toEqual({
    path: "${{ github.action_path }}/node_modules",
    key: "${{ steps.cache.outputs.key }}",
  });
  const { exitCode, outputs } = await runStep("Name the cache", {});
  expect([exitCode, outputs.key]).toEqual([0, expect.stringMatching(/^svc-serving-\w+-\w+-[0-9a-f]{32}$/)]);
});

describe("a job without a service", () => {
  test("the action plays both agents, compares them, and fails with the agent of the pull request", async () => {
    const { exitCode, printed, outputs } = await play({
      tests: "tests",
      "agent-url": bad!.url,
      "base-agent-url": good!.url,
      "agent-format": "svc",
      junit: join(folder, "result.xml"),
    });
    expect(exitCode, printed).toBe(1);
    expect(printed).toMatch(/::error title=Books a room/);
    // Another file names another agent and other iterations, so the action makes a second run.
    const twoRuns = expect.stringMatching(/^run_\w+ run_\w+$/) as string;
    expect(outputs).toMatchObject({ run: twoRuns, "base-run": twoRuns });
    const report = readFileSync(outputs.report!, "utf8");
    expect(report).toMatch(/^### Compared with `main`\n/);
    expect(report).toContain("Passed: 5 of 5 before, 0 of 5 now.");
    expect(report).toContain("Passed: 1 of 1 before, 0 of 1 now.");
    expect(report).toMatch(/\| broken \| Books a room for @ada \| 5 of 5 \| 0 of 5 \|/);
    expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain(report);
    const junit = parseXml(readFileSync(join(folder, "result.xml"), "utf8")).children;
    expect(junit.map(({ attributes: { name, failures } }) => [name, failures])).toEqual([
      ["agent", "5"],
      ["Front desk", "1"],
    ]);
    // The action has not changed the checkout, and has removed its service and the service's folder.
    expect(readFileSync(join(folder, "tests/books.md"), "utf8")).toBe(TEST_FILE);
    expect(readdirSync(folder).filter((name) => name.startsWith("svc-action-"))).toEqual([]);

    for (const text of ["First!", "Second.", "<!-- svc-action: other -->\nThird."]) github.addComment(text);
    const created = await comment(outputs.report!);
    expect([created.exitCode, created.printed]).toEqual([0, expect.stringContaining("Created https://github.test/")]);
    expect(github.comments).toHaveLength(4);
    expect(github.comments[3]!.body).toContain("broken | Books a room for @\u200bada");

    writeFileSync(join(folder, "next.md"), "All is well.");
    github.failures.push(502);
    const updated = await comment(join(folder, "next.md"));
    expect(updated.printed).toContain("Updated https://github.test/");
    expect(github.comments.map(({ body }: Comment) => body.split("\n").at(-1))).toEqual([
      "First!",
      "Second.",
      "Third.",
      "All is well.",
    ]);
  });

  test("the action says what is missing without tests or an agent", async () => {
    expect(await play({})).toMatchObject({ exitCode: 3, printed: expect.stringContaining("Set the input `tests`") });
    expect(await play({ tests: "tests" })).toMatchObject({
      exitCode: 3,
      printed: expect.stringContaining("`agent-url`"),
    });
  });
});

test("with a service that keeps its runs, a pull request is compared with the newest run of its base branch", async () => {
  const { agentId } = await chatConnection(server.client, good!.url);
  await server.client.agents.edit({ agentId, name: "agent" });
  const suite = await server.client.suites.create({ name: "Booking" });
  await server.client.tests.create({
    name: "Books a room",
    scenario: "Says: I would like a room.",
    expected_behaviors: ["says /booked/i"],
    suite: suite.testSuite.id,
  });
  const inputs = { suite: "Booking", url: server.url, "api-key": server.projectKey, "agent-format": "svc" };
  const first = await play(
    { ...inputs, "agent-url": good!.url },
    { GITHUB_HEAD_REF: "", GITHUB_BASE_REF: "", GITHUB_REF_NAME: "main" },
  );
  expect(first.exitCode, first.printed).toBe(0);
  expect(readFileSync(first.outputs.report!, "utf8")).toContain("no run of the base branch");
  const second = await play({ ...inputs, "agent-url": bad!.url });
  expect(second.exitCode, second.printed).toBe(1);
  expect(second.outputs["base-run"]).toBe(first.outputs.run);
  expect((await server.client.connections.list({ agentId })).connections).toHaveLength(2);
});

describe("the comment", () => {
  test("a job that belongs to no pull request writes no comment", async () => {
    const before = github.requests.length;
    const event = join(folder, "push.json");
    writeFileSync(event, "{}");
    const { exitCode, printed } = await comment(join(folder, "tests/books.md"), { GITHUB_EVENT_PATH: event });
    expect([exitCode, printed, github.requests.length]).toEqual([
      0,
      expect.stringContaining("no pull request"),
      before,
    ]);
  });

  test("a job without the permission ends with a warning, and without a failure", async () => {
    const { exitCode, printed } = await comment(join(folder, "tests/books.md"), { GITHUB_TOKEN: "wrong" });
    expect([exitCode, printed]).toEqual([
      0,
      expect.stringContaining("::warning title=svc::The comment was refused with 401"),
    ]);
  });

  test("a report that is longer than a comment is cut, and says where the rest is", async () => {
    writeFileSync(join(folder, "long.md"), "x".repeat(100_000));
    await comment(join(folder, "long.md"));
    const { body } = github.comments.at(-1)!;
    expect(body.length).toBeLessThan(65_536);
    expect(body).toContain("summary of the job has the rest");
  });
});

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "packages/python");
const WHEEL = "svc_voice-0.1.0-py3-none-any.whl";

/** Says why Python cannot run the specs; undefined when it can. */
const reason = (() => {
  const { status } = spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 9))"]);
  return status === 0 ? undefined : "this machine has no Python 3.9 or newer with the module venv";
})();

let folder: string;
let server: TestServer;
let sample: { suite: string; agent: string };
beforeAll(async () => {
  if (reason !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), "svc-python-"));
  server = await startServer();
  const { suiteId, agentId } = (await server.client.sample.start({})).sample;
  const [{ testSuite }, { agent }] = await Promise.all([
    server.client.suites.get({ suiteId }),
    server.client.agents.get({ agentId }),
  ]);
  sample = { suite: testSuite.name, agent: agent.name };
});
afterAll(async () => {
  if (reason !== undefined) return;
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const environment = { PATH: process.env.PATH, HOME: tmpdir(), PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" };
const python = (args: string[], cwd: string, env: Record<string, string> = {}) =>
  execFileSync("python3", args, { cwd, encoding: "utf8", env: { ...environment, ...env } });

const PROGRAM = `
import json, sys
from svc_voice import Client, RunNotPassed, SvcError, assert_passed, follow_run, pages, play_run

client = Client()
created = client.tests.create(name="From Python", scenario="s", expected_behaviors=["says /hello/i"])
names = [one["name"] for one in pages(client.tests.list, limit=1)]
agents = [one["name"] for one in pages(client.agents.list)]
played = play_run(client, suite=sys.argv[1], agent=sys.argv[2], name="From Python")
events = [event["kind"] for event in follow_run(client, played.run["id"])]
message = ""
try:
    assert_passed(played)
except RunNotPassed as error:
    message = str(error)
try:
    client.tests.get(testId="tst_x")
except SvcError as error:
    code = error.code
try:
    play_run(client, suite="Bookng")
except ValueError as error:
    unknown = str(error)
print(json.dumps({
    "created": created["id"], "names": names, "agents": agents, "events": events, "message": message, "code": code,
    "unknown": unknown, "from": sys.modules["svc_voice"].__file__,
}))
`;

describe("the Python package", () => {
  beforeEach(({ skip }) => {
    if (reason !== undefined) skip(reason);
  });

  test("the package's own tests pass", () => {
    const paths = { PYTHONPATH: `${PACKAGE}/src:${PACKAGE}/tests` };
    const options = { cwd: PACKAGE, encoding: "utf8", env: { ...environment, ...paths } } as const;
    const { status, stderr } = spawnSync("python3", ["-m", "unittest", "discover", "-s", "tests"], options);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/Ran \d\d tests[^]+OK/) });
  });

  test("the package's types are strict", ({ skip }) => {
    if (spawnSync("python3", ["-m", "mypy", "--version"]).status !== 0) skip("this machine's Python has no mypy");
    const cache = join(folder, "mypy");
    const args = ["-m", "mypy", "--cache-dir", cache, "src/svc_voice", "tests", "build_wheel.py"];
    expect(python(args, PACKAGE, { MYPYPATH: "src:tests" })).toContain("Success");
  });

  test("equal sources make equal wheels, with the types and the licence", () => {
    python([join(PACKAGE, "build_wheel.py"), join(ROOT, "dist")], folder);
    python([join(PACKAGE, "build_wheel.py"), join(folder, "again")], folder);
    const wheel = readFileSync(join(ROOT, "dist", WHEEL));
    expect(wheel.equals(readFileSync(join(folder, "again", WHEEL)))).toBe(true);
    const files = python(["-m", "zipfile", "-l", join(ROOT, "dist", WHEEL)], folder);
    for (const file of ["py.typed", "client.pyi", "requests.json", "METADATA", "RECORD", "licenses/LICENSE"])
      expect(files).toContain(file);
    expect(files).not.toContain("__pycache__");
  });

  test("the wheel installs into an empty virtual environment, and its client plays a run on a service", async () => {
    const venv = join(folder, "venv");
    const hasPip = spawnSync("python3", ["-c", "import ensurepip"]).status === 0;
    python(["-m", "venv", ...(hasPip ? [] : ["--without-pip"]), venv], folder);
    const own = join(venv, "bin/python");
    const wheel = join(ROOT, "dist", WHEEL);
    const run = (args: string[], env: Record<string, string> = {}) =>
      execFileSync(own, args, { cwd: folder, encoding: "utf8", env: { ...environment, ...env } });
    // Without pip, Python's zip module does the same: a wheel is an archive of the folder of packages.
    const packages = run(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).trim();
    if (hasPip) run(["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel]);
    else run(["-m", "zipfile", "-e", wheel, packages]);
    expect(existsSync(join(packages, "svc_voice/py.typed"))).toBe(true);

    writeFileSync(join(folder, "program.py"), PROGRAM);
    const at = { SVC_URL: server.url, SVC_API_KEY: server.projectKey };
    const options = { cwd: folder, env: { ...environment, ...at } };
    const { stdout } = await promisify(execFile)(own, ["program.py", sample.suite, sample.agent], options);
    const printed = JSON.parse(stdout) as Record<string, string> & { names: string[]; events: string[] };
    expect(printed).toMatchObject({ code: "not_found", agents: [sample.agent] });
    expect(printed.names).toContain("From Python");
    expect(printed.events.filter((kind) => kind === "grade")).toHaveLength(5);
    expect(printed.message).toMatch(/^The run run_\w+ did not pass: 1 of 5 [^]+turn 2: "You are booked/);
    expect(printed.unknown).toContain(`There is no suite "Bookng". There are: `);
    expect(printed.from).toContain(packages);
  });
});

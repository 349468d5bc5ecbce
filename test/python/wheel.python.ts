import { execFile, execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "packages/python");
const WHEEL = "svc_voice-0.1.0-py3-none-any.whl";

/** Why Python cannot run the specs; undefined when it can. */
const reason = (() => {
  const { status } = spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 9))"]);
  return status === 0 ? undefined : "this machine has no Python 3.9 or newer with the module venv";
})();

/** Versions of Python that the package supports. */
const VERSIONS = ["3.9", "3.10", "3.11", "3.12", "3.13"];

const TYPED_PROGRAM = join(import.meta.dirname, "typed_program.py");

let folder: string;
/** A virtual environment that contains only the wheel: the path of its Python, and its folder of packages. */
let venv: { python: string; packages: string };
let server: TestServer;
let sample: { suite: string; agent: string };
beforeAll(async () => {
  if (reason !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), "svc-python-"));
  venv = installWheel();
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
import asyncio, json, sys
from svc_voice import AsyncClient, Client, RunNotPassed, SvcError, assert_passed, async_pages, follow_run, pages, play_run

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

async def names_of_agents():
    return [one["name"] async for one in async_pages(AsyncClient().agents.list)]

print(json.dumps({
    "asyncAgents": asyncio.run(names_of_agents()), "created": created["id"], "names": names, "agents": agents, "events": events, "message": message, "code": code,
    "unknown": unknown, "from": sys.modules["svc_voice"].__file__,
}))
`;

function installWheel() {
  python([join(PACKAGE, "build_wheel.py"), join(ROOT, "dist")], folder);
  const hasPip = spawnSync("python3", ["-c", "import ensurepip"]).status === 0;
  python(["-m", "venv", ...(hasPip ? [] : ["--without-pip"]), join(folder, "venv")], folder);
  const own = join(folder, "venv/bin/python");
  const wheel = join(ROOT, "dist", WHEEL);
  const run = (args: string[]) => execFileSync(own, args, { cwd: folder, encoding: "utf8", env: environment });
  const packages = run(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).trim();
  // Without pip, Python's zip module can install a wheel, which is an archive of the folder of packages.
  if (hasPip) run(["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel]);
  else run(["-m", "zipfile", "-e", wheel, packages]);
  return { python: own, packages };
}

describe("the Python package", () => {
  beforeEach(({ skip }) => {
    if (reason !== undefined) skip(reason);
  });

  test.for(["python3", ...VERSIONS.map((version) => `python${version}`)])(
    "the package's own tests pass with %s",
    (command, { skip }) => {
      if (spawnSync(command, ["--version"]).status !== 0) skip(`this machine has no ${command}`);
      const paths = { PYTHONPATH: `${PACKAGE}/src:${PACKAGE}/tests`, PYENV_VERSION: process.env.PYENV_VERSION ?? "" };
      const options = { cwd: PACKAGE, encoding: "utf8", env: { ...environment, ...paths } } as const;
      const { status, stderr } = spawnSync(command, ["-m", "unittest", "discover", "-s", "tests"], options);
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/Ran \d\d tests[^]+OK/) });
    },
  );

  test("mypy accepts the package, its tests and a typed program, in strict mode", ({ skip }) => {
    if (spawnSync("python3", ["-m", "mypy", "--version"]).status !== 0)
      skip("this machine's Python has no mypy; pyright, which npm installs, checks the same program");
    const cache = ["-m", "mypy", "--strict", "--cache-dir", join(folder, "mypy")];
    const own = [...cache, "src/svc_voice", "tests", "build_wheel.py"];
    expect(python(own, PACKAGE, { MYPYPATH: "src:tests" })).toContain("Success");
    const installed = [...cache, "--python-executable", venv.python, TYPED_PROGRAM];
    expect(python(installed, folder)).toContain("Success");
  });

  test("pyright accepts the types of the client and a typed program, in strict mode", () => {
    cpSync(TYPED_PROGRAM, join(folder, "typed_program.py"));
    cpSync(join(venv.packages, "svc_voice/client.pyi"), join(folder, "client.pyi"));
    const config = {
      include: ["typed_program.py", "client.pyi"],
      extraPaths: [venv.packages],
      typeCheckingMode: "strict",
      pythonVersion: "3.9",
      // If the types accept a wrong line, its comment becomes unnecessary, which is then reported.
      reportUnnecessaryTypeIgnoreComment: "error",
    };
    writeFileSync(join(folder, "pyrightconfig.json"), JSON.stringify(config));
    const args = [join(ROOT, "node_modules/pyright/index.js"), "--project", folder, "--outputjson"];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: environment });
    const { generalDiagnostics, summary } = JSON.parse(stdout) as {
      generalDiagnostics: object[];
      summary: { filesAnalyzed: number };
    };
    expect(generalDiagnostics).toEqual([]);
    expect(summary.filesAnalyzed).toBe(2);
  });

  test("equal sources make equal wheels, with the types and the licence", () => {
    python([join(PACKAGE, "build_wheel.py"), join(folder, "again")], folder);
    const wheel = readFileSync(join(ROOT, "dist", WHEEL));
    expect(wheel.equals(readFileSync(join(folder, "again", WHEEL)))).toBe(true);
    const files = python(["-m", "zipfile", "-l", join(ROOT, "dist", WHEEL)], folder);
    for (const file of ["py.typed", "client.pyi", "requests.json", "METADATA", "RECORD", "licenses/LICENSE"])
      expect(files).toContain(file);
    expect(files).not.toContain("__pycache__");
  });

  test("the wheel installs into an empty virtual environment, and its client plays a run on a service", async () => {
    expect(existsSync(join(venv.packages, "svc_voice/py.typed"))).toBe(true);

    writeFileSync(join(folder, "program.py"), PROGRAM);
    const at = { SVC_URL: server.url, SVC_API_KEY: server.projectKey };
    const options = { cwd: folder, env: { ...environment, ...at } };
    const { stdout } = await promisify(execFile)(venv.python, ["program.py", sample.suite, sample.agent], options);
    const printed = JSON.parse(stdout) as Record<string, string> & { names: string[]; events: string[] };
    expect(printed).toMatchObject({ code: "not_found", agents: [sample.agent], asyncAgents: [sample.agent] });
    expect(printed.names).toContain("From Python");
    expect(printed.events.filter((kind) => kind === "grade")).toHaveLength(5);
    expect(printed.message).toMatch(/^The run run_\w+ did not pass: 1 of 5 [^]+turn 2: "You are booked/);
    expect(printed.unknown).toContain(`There is no suite "Bookng". There are: `);
    expect(printed.from).toContain(venv.packages);
  });
});

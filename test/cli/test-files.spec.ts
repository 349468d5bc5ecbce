import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readTestFile } from "../../packages/cli/src/test-files/test-file.ts";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName } from "../support/world.ts";
import { fileOf } from "../support/test-file-text.ts";

let server: SharedServer;
let home: ReturnType<typeof openHome>;
let folder: string;
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const all = async () => (await server.client.tests.list({ limit: 200 })).items;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  folder = mkdtempSync(join(tmpdir(), "svc-tests-"));
  await server.client.suites.create({ name: "Booking" });
});
afterAll(async () => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

describe("`tests push` and `tests pull`", () => {
  test("`tests push` and `tests pull` create tests from files and leave the files as they are, and a repeated push changes nothing", async () => {
    writeFileSync(at("one.md"), fileOf("One"));
    writeFileSync(at("two.md"), fileOf("Two"));
    expect((await home.svc(["tests", "validate", folder])).stdout).toMatch(
      /^One +.*one\.md\n- Is kind\.\n  nobody decides: [^]*\n\n2 tests, all valid\.\n$/,
    );
    const dry = await home.svc(["tests", "push", folder, "--suite", "Booking", "--dry-run"]);
    expect([dry.exitCode, dry.stdout]).toEqual([
      0,
      expect.stringMatching(/  readings:\n    - Is kind\.\n      nobody decides: [^]*2 tests would be created/),
    ]);
    expect(await all()).toEqual([]);
    const pushed = await home.svc(["tests", "push", folder, "--suite", "Booking"]);
    expect([pushed.exitCode, pushed.stdout]).toEqual([
      0,
      expect.stringContaining("2 tests created, 0 edited, 0 unchanged."),
    ]);
    const [two] = await all();
    expect(read("two.md")).toBe(fileOf("Two"));
    const state = JSON.parse(read(".svc/tests.json"));
    expect(state.services[`${server.url} ${server.project.id}`]).toMatchObject({
      "two.md": { id: two!.id, version_id: two!.version_id, name: "Two", tags: [] },
    });
    expect((await home.svc(["tests", "push", folder])).stdout).toContain("0 edited, 2 unchanged");
  });

  test.each(["push", "validate"])(
    "`tests %s` refuses a folder without tests and a folder that does not exist",
    async (action) => {
      const empty = join(folder, "empty");
      mkdirSync(empty, { recursive: true });
      expect(await home.svc(["tests", action, empty])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("holds no Markdown file. Name a folder with tests"),
      });
      expect((await home.svc(["tests", action, join(folder, "none")])).exitCode).toBe(2);
    },
  );

  test("`tests push` and `tests pull` change nothing when someone edited one of the tests meanwhile, and the message names its file", async () => {
    const [two, one] = await all();
    await server.client.tests.edit({
      testId: two!.id,
      expected_version_id: two!.version_id,
      scenario: "Edited there.",
    });
    for (const name of ["one", "two"])
      writeFileSync(at(`${name}.md`), read(`${name}.md`).replace("Is kind.", "Is brief."));
    const before = [await all(), read("one.md"), read("two.md")];
    const { exitCode, stderr } = await home.svc(["tests", "push", folder]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^Nothing was written[^]*two\.md:2: someone edited the test meanwhile[^]*`svc tests pull --force`, which drops/,
      ),
    ]);
    expect(stderr).not.toContain("one.md");
    const pulled = await home.svc(["tests", "pull", folder]);
    expect([pulled.exitCode, pulled.stderr]).toEqual([
      1,
      expect.stringContaining("two.md: was edited here and in the service"),
    ]);
    expect([await all(), read("one.md"), read("two.md")]).toEqual(before);
    expect((await home.svc(["tests", "pull", folder, "--force"])).stdout).toMatch(/updated +.*two\.md/);
    expect(read("two.md")).toContain("Edited there.");
    expect(one!.version).toBe(1);
  });

  test("`tests push` and `tests pull` show what an edit changes, and fetch edits from the service", async () => {
    writeFileSync(at("one.md"), read("one.md").replace(/- Is .*/, "- Is brief."));
    const pushed = await home.svc(["tests", "push", folder]);
    expect(pushed.stdout).toMatch(/One +.*one\.md\n +expected behaviors:\n +- Is kind\.\n +\+ Is brief\./);
    const [two] = await all();
    await server.client.tests.edit({ testId: two!.id, expected_version_id: two!.version_id, name: "Too" });
    expect((await home.svc(["tests", "pull", folder])).stdout).toMatch(/updated +.*two\.md\n2 tests, 1 unchanged/);
    const other = join(folder, "fresh");
    await home.svc(["tests", "pull", other, "--suite", "Booking"]);
    expect(readdirSync(other).sort()).toEqual(["one.md", "too.md"]);
    expect(readFileSync(join(other, "too.md"), "utf8")).toMatch(/^---\nname: Too\nsuite: Booking\n---\n/);
    expect(readFileSync(join(other, "one.md"), "utf8")).toContain("- Is brief.");
  });

  test("`tests push` and `tests pull` refuse files that are not valid tests before anything is sent", async () => {
    writeFileSync(at("three.md"), fileOf("One"));
    const { exitCode, stderr } = await home.svc(["tests", "push", folder]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/three\.md:2: has the same name "One" as .*one\.md/)]);
    expect((await home.svc(["tests", "validate", folder])).exitCode).toBe(1);
    rmSync(at("three.md"));
    expect(await all()).toHaveLength(2);
  });
});

test("a monorepo of 50 files in nested folders goes to an empty project and back, by tags, and what is skipped is named", async () => {
  const empty = await shareServer();
  const repository = mkdtempSync(join(tmpdir(), "svc-monorepo-"));
  onTestFinished(() => rmSync(repository, { recursive: true }));
  const svc = (...args: string[]) => home.svc(args, { env: { SVC_URL: empty.url, SVC_API_KEY: empty.projectKey } });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  };
  for (let index = 0; index < 50; index++) {
    const front = [`suite: Suite ${index % 5}`, ...(index % 10 === 0 ? ["tags: [smoke]"] : [])].join("\n");
    const text = fileOf(`Test ${index}`).replace("---\n\n", `${front}\n---\n\n`).replace("A caller.", "Says: Hello.");
    put(`apps/${index % 7}/tests/${index % 3 === 0 ? "deep/er/" : ""}${index}.md`, text);
  }
  // All folders of a repository share one state file.
  mkdirSync(join(repository, ".git"));
  for (const skipped of ["README.md", "apps/1/readme.md", ".cache/x.md", "apps/node_modules/x.md", "notes.txt"])
    put(skipped, "no test");
  symlinkSync(join(repository, "apps"), join(repository, "loop"));

  const pushed = await svc("tests", "push", repository);
  expect([pushed.exitCode, pushed.stdout]).toEqual([
    0,
    expect.stringMatching(/50 tests created, 0 edited, 0 unchanged\.\n$/),
  ]);
  for (const words of [
    "README.md (a readme)",
    "apps/1/readme.md (a readme)",
    ".cache (a hidden folder)",
    "node_modules (installed packages)",
    "loop (a symbolic link)",
    "(1 file whose name does not end in .md: ",
  ])
    expect(pushed.stderr).toContain(words);
  const { testSuites } = await empty.client.suites.list({ pageSize: 200 });
  expect(testSuites.map(({ name, testCount }) => `${name}: ${testCount}`).sort()).toEqual([
    "Default: 0",
    ...[0, 1, 2, 3, 4].map((index) => `Suite ${index}: 10`),
  ]);
  expect((await empty.client.tests.list({ tag: "smoke" })).items).toHaveLength(5);

  const { agent } = await empty.client.agents.register({
    name: "Sample",
    connection: { connectionType: "sample_agent", config: {} },
  });
  const planned = await svc(
    "runs",
    "start",
    "--files",
    repository,
    "--tag",
    "smoke",
    "--agent",
    agent.name,
    "--dry-run",
    "--json",
  );
  const { runs } = JSON.parse(planned.stdout) as { runs: { plan: { tests: { testName: string }[] } }[] };
  expect(runs.map(({ plan }) => plan.tests.map(({ testName }) => testName).sort())).toEqual([
    ["Test 0", "Test 10", "Test 20", "Test 30", "Test 40"],
  ]);

  expect((await svc("tests", "pull", repository)).stdout).toBe("50 tests, 50 unchanged.\n");
  put(
    "apps/0/tests/7.md",
    readFileSync(join(repository, "apps/0/tests/7.md"), "utf8").replace("Hello", "Good morning"),
  );
  expect((await svc("tests", "push", join(repository, "apps/0/tests/7.md"))).stdout).toContain(
    "0 tests created, 1 edited, 0 unchanged.",
  );
  const states = readdirSync(repository, { recursive: true }).filter((path) => String(path).endsWith("tests.json"));
  expect(states).toEqual([join(".svc", "tests.json")]);
});

test("`tests list` cuts a long scenario also where the output is no terminal", async () => {
  const name = freshName("long");
  await server.client.tests.create(aTest({ name, scenario: "word ".repeat(2_000) }));
  const { stdout } = await home.svc(["tests", "list"]);
  const line = stdout.split("\n").find((one) => one.startsWith(name))!;
  expect(line).toMatch(/behavior: word word .*…$/);
  expect(line.length).toBeLessThan(250);
});

describe("the meaning of behaviors in files", () => {
  const folderOf = (...behaviors: string[]) => {
    const made = mkdtempSync(join(tmpdir(), "svc-readings-"));
    onTestFinished(() => rmSync(made, { recursive: true }));
    for (const [at, behavior] of behaviors.entries())
      writeFileSync(join(made, `${at}.md`), fileOf(freshName("read"), behavior));
    return made;
  };

  test("a file whose agent the service does not have is named with its line, and is valid", async () => {
    const files = mkdtempSync(join(tmpdir(), "svc-agents-"));
    await server.client.agents.register({ name: "receptionist" });
    for (const agent of ["receptionist", "receptionst"])
      writeFileSync(join(files, `${agent}.md`), fileOf(`Of ${agent}`).replace("\n---", `\nagent: ${agent}\n---`));
    const { exitCode, stderr } = await home.svc(["tests", "validate", files]);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^\S+receptionst\.md:3: agent: There is no agent "receptionst" [^\n]*Did you mean "receptionist"\?[^\n]*\n$/,
      ),
    ]);
    rmSync(files, { recursive: true });
  });

  test("the meaning of behaviors in files is in the JSON of `tests validate` and `tests push`", async () => {
    const files = folderOf("calls book_room once");
    const readings = [{ decided_by: "check", reading: "The agent calls `book_room` exactly once.", problem: null }];
    expect(await home.json(["tests", "validate", files])).toMatchObject({ faults: [], files: [{ readings }] });
    expect(await home.json(["tests", "push", files, "--dry-run"])).toMatchObject({ tests: [{ readings }] });
    expect(await home.json(["tests", "push", files])).toMatchObject({ tests: [{ kind: "create", readings }] });
    expect(await home.json(["tests", "push", files])).toMatchObject({ tests: [{ kind: "unchanged", readings }] });
  });

  test("the meaning of behaviors in files is replaced by a remedy with the file's name when a behavior is invalid, in `tests validate` and `tests push`", async () => {
    const files = folderOf("Is kind.", 'says "240');
    const fault = /1\.md:11: behavior 1: The quote " does not close/;
    const validated = await home.svc(["tests", "validate", files]);
    expect([validated.exitCode, validated.stdout]).toEqual([1, expect.stringMatching(fault)]);
    const pushed = await home.svc(["tests", "push", files]);
    expect([pushed.exitCode, pushed.stderr]).toEqual([
      1,
      expect.stringMatching(/^.*Nothing was written[^]*1\.md:11: /),
    ]);
    expect(pushed.stderr).toMatch(fault);
  });

  test("the meaning of behaviors in files is left out when no service answers: `tests validate` says so and still checks the form", async () => {
    const files = folderOf("calls book_room once");
    for (const env of [{ SVC_URL: "http://127.0.0.1:9" }, { SVC_API_KEY: "" }]) {
      const { exitCode, stdout, stderr } = await home.svc(["tests", "validate", files], { env });
      expect([exitCode, stdout]).toEqual([0, "1 test, all valid.\n"]);
      expect(stderr).toMatch(/Only the rules of this program were checked/);
    }
    writeFileSync(join(files, "0.md"), "no test");
    const { exitCode } = await home.svc(["tests", "validate", files], { env: { SVC_URL: "http://127.0.0.1:9" } });
    expect(exitCode).toBe(1);
  });
});

test("`tests from-trace` drafts a test that repeats the caller's lines and mocks the tools of a conversation", async () => {
  const sent = await home.svc(["traces", "send", "examples/first-trace"]);
  expect(sent.exitCode).toBe(0);
  await server.conversationsRead();
  const { traces } = await server.client.traces.list({});
  const trace = traces.find(({ toolCallCount }) => (toolCallCount ?? 0) > 0)!;
  const file = at("from-trace.md");
  const { exitCode } = await home.svc(["tests", "from-trace", trace.traceId, "--file", file, "--name", "Again"]);
  expect(exitCode).toBe(0);
  const written = readTestFile(readFileSync(file, "utf8"));
  expect(written).toMatchObject({
    name: "Again",
    scenario: expect.stringMatching(/\nSays: What is the weather in Paris\?/),
  });
  expect(written.expected_behaviors[0]).toMatch(/^calls get_weather with city="Paris"$/);
  expect(written.mock_tools[0]).toEqual({ tool: "get_weather", answer: "Paris: sunny, 21C" });
  const { items } = await server.client.tests.list({});
  const shown = await home.svc(["tests", "from-trace", trace.traceId, "--name", "Again"]);
  expect(shown.stdout).toContain(readFileSync(file, "utf8"));
  expect(shown.stdout).toContain("Nothing is stored.");
  expect((await server.client.tests.list({})).items).toEqual(items);
  const created = await home.svc(["tests", "from-trace", trace.traceId, "--save", "--suite", "Booking"]);
  expect([created.exitCode, created.stdout]).toEqual([0, expect.stringContaining('Created "Conversation ')]);
});

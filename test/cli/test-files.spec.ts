import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isSameContent } from "../../packages/cli/src/test-files/content-changes.ts";
import { fileNameOf } from "../../packages/cli/src/test-files/folder.ts";
import {
  readTestFile,
  type TestDocument,
  withIds,
  writeTestFile,
} from "../../packages/cli/src/test-files/test-file.ts";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { freshName, unknownId } from "../support/world.ts";

const MARKS = [
  "\n",
  "\n\n",
  "- ",
  "## Scenario",
  "## Expected behaviors",
  "\\## Scenario",
  "---",
  "  ",
  "#",
  ": ",
  "'",
  '"',
  "{",
  "\t",
  "*",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ maxLength: 6 })), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join("").trim() || "x");
const tests: fc.Arbitrary<TestDocument> = fc.record({
  name: text,
  id: fc.constant(unknownId("tst")),
  version_id: fc.constant(unknownId("tstv")),
  scenario: text,
  expected_behaviors: fc.array(text, { minLength: 1, maxLength: 4 }),
  personas: fc.array(text, { maxLength: 2 }),
  mock_tools: fc.array(
    fc.record(
      { tool: text, answer: fc.jsonValue() as fc.Arbitrary<never>, delay_ms: fc.nat(30_000), succeeds_when: text },
      { requiredKeys: ["tool", "answer", "delay_ms"] },
    ),
    { maxLength: 2 },
  ),
});

describe("a test's file", () => {
  test("a test's file can represent every test, and a change of its ids leaves the rest unchanged", () => {
    fc.assert(
      fc.property(tests, (document) => {
        const file = writeTestFile(document);
        const read = readTestFile(file);
        expect(isSameContent(read, document)).toBe(true);
        const ids = { id: unknownId("tst"), version_id: "tstv_other" };
        expect(readTestFile(withIds(file, ids))).toEqual({ ...read, ...ids });
      }),
    );
  });

  test("a test's file may be written by hand, and keeps its comments", () => {
    const file = `---
# Fridays are busy.
name: Books a room
mock_tools:
  - tool: book_room
    answer: { code: GH-4207 } # as the hotel sends it
---

## Scenario

Ana calls.

Caller says:
- Two nights, please.

## Expected behaviors

- calls book_room with nights=2
* repeats back
  the price
`;
    expect(readTestFile(file)).toEqual({
      name: "Books a room",
      scenario: "Ana calls.\n\nCaller says:\n- Two nights, please.",
      expected_behaviors: ["calls book_room with nights=2", "repeats back\nthe price"],
      personas: [],
      mock_tools: [{ tool: "book_room", answer: { code: "GH-4207" } }],
    });
    const pushed = withIds(file, { id: "tst_1", version_id: "tstv_1" });
    expect(pushed).toMatch(
      /^---\n# Fridays are busy\.\nname: Books a room\n[^]*# as the hotel sends it\nid: tst_1\nversion_id: tstv_1\n---\n\n## Scenario/,
    );
  });

  test.each([
    ["", /has no front matter/],
    ["---\nscenario: x\n---\n", /"scenario" in its front matter/],
    ["---\n---\n", /without a `name`/],
    ["---\nname: [\n---\n", /not YAML/],
    ["---\nname: &a x\npersonas: [*a]\n---\n", /aliases/],
    ["---\nname: x\nid: tst_1\n---\n", /only one of `id` and `version_id`/],
    ["---\nname: x\n---\nHello\n", /text before its first section/],
    ["---\nname: x\n---\n## Scenario\nx\n", /no section `## Expected behaviors`/],
    ["---\nname: x\n---\n## Scenario\nx\n## Scenario\n", /two sections/],
    ["---\nname: x\n---\n## Scenario\nx\n## Expected behaviors\nIs kind.\n", /is not a list item: write `- Is kind\.`/],
  ])("%j is refused, and the message says what to correct", (file, message) => {
    expect(() => readTestFile(file)).toThrow(message);
  });

  test("a test's file gets a unique file name from the name of the test", () => {
    expect(fileNameOf("Books a Room — für 2!", new Set(["books-a-room-fur-2.md"]))).toBe("books-a-room-fur-2-2.md");
    expect(fileNameOf("../../etc", new Set())).toBe("etc.md");
    expect(fileNameOf("…", new Set())).toBe("test.md");
  });
});

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

const fileOf = (name: string, behavior = "Is kind.") =>
  `---\nname: ${name}\n---\n\n## Scenario\n\nA caller.\n\n## Expected behaviors\n\n- ${behavior}\n`;

describe("`tests push` and `tests pull`", () => {
  test("`tests push` and `tests pull` create tests from files and write their ids into the files, and a repeated push changes nothing", async () => {
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
    expect(readTestFile(read("two.md"))).toMatchObject({ id: two!.id, version_id: two!.version_id });
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
      expect.stringMatching(/^Nothing was written[^]*two\.md: someone edited the test meanwhile/),
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
    expect(readFileSync(join(other, "one.md"), "utf8")).toContain("- Is brief.");
  });

  test("`tests push` and `tests pull` refuse files that are not valid tests before anything is sent", async () => {
    writeFileSync(at("three.md"), fileOf("One").replace("- Is kind.\n", ""));
    const { exitCode, stderr } = await home.svc(["tests", "push", folder]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/three\.md: has the same name One as .*one\.md\n.*three\.md: expected_behaviors/),
    ]);
    expect((await home.svc(["tests", "validate", folder])).exitCode).toBe(1);
    rmSync(at("three.md"));
    expect(await all()).toHaveLength(2);
  });
});

describe("readings of files", () => {
  const folderOf = (...behaviors: string[]) => {
    const made = mkdtempSync(join(tmpdir(), "svc-readings-"));
    onTestFinished(() => rmSync(made, { recursive: true }));
    for (const [at, behavior] of behaviors.entries())
      writeFileSync(join(made, `${at}.md`), fileOf(freshName("read"), behavior));
    return made;
  };

  test("readings of files are in the JSON of `tests validate` and `tests push`", async () => {
    const files = folderOf("calls book_room once");
    const readings = [{ decided_by: "check", reading: "The agent calls `book_room` exactly once.", problem: null }];
    expect(await home.json(["tests", "validate", files])).toMatchObject({ faults: [], files: [{ readings }] });
    expect(await home.json(["tests", "push", files, "--dry-run"])).toMatchObject({ tests: [{ readings }] });
    expect(await home.json(["tests", "push", files])).toMatchObject({ tests: [{ kind: "create", readings }] });
    expect(await home.json(["tests", "push", files])).toMatchObject({ tests: [{ kind: "unchanged", readings }] });
  });

  test("readings of files name the file and the remedy of a behavior that cannot be read, in `tests validate` and `tests push`", async () => {
    const files = folderOf("Is kind.", 'says "240');
    const fault = /1\.md: expected_behaviors\.0: The quote " does not close/;
    const validated = await home.svc(["tests", "validate", files]);
    expect([validated.exitCode, validated.stdout]).toEqual([1, expect.stringMatching(fault)]);
    const pushed = await home.svc(["tests", "push", files]);
    expect([pushed.exitCode, pushed.stderr]).toEqual([1, expect.stringMatching(/^.*Nothing was written[^]*1\.md: /)]);
    expect(pushed.stderr).toMatch(fault);
  });

  test("readings of files are left out of `tests validate` when no service answers, which says so and still checks the form", async () => {
    const files = folderOf("calls book_room once");
    for (const env of [{ SVC_URL: "http://127.0.0.1:9" }, { SVC_API_KEY: "" }]) {
      const { exitCode, stdout, stderr } = await home.svc(["tests", "validate", files], { env });
      expect([exitCode, stdout]).toEqual([0, "1 test, all valid.\n"]);
      expect(stderr).toMatch(/Only the form of the files was checked/);
    }
    writeFileSync(join(files, "0.md"), "no test");
    const { exitCode } = await home.svc(["tests", "validate", files], { env: { SVC_URL: "http://127.0.0.1:9" } });
    expect(exitCode).toBe(1);
  });
});

test("`tests from-trace` creates a test that repeats the caller's lines and mocks the tools of a conversation", async () => {
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
  const created = await home.svc(["tests", "from-trace", trace.traceId, "--suite", "Booking"]);
  expect([created.exitCode, created.stdout]).toEqual([0, expect.stringContaining('Created "Conversation ')]);
});

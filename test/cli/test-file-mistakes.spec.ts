import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

/** Returns the text of a test file. If `front` has one line, the behavior is on line 11. */
const file = (front: string, scenario = "A caller.", behaviors = "- Is kind.") =>
  `---\n${front}\n---\n\n## Scenario\n\n${scenario}\n\n## Expected behaviors\n\n${behaviors}\n`;
const big = "x".repeat(16 * 1024);

/** Mistakes that the command finds without the service: the title, the file, the line and the words of the message. */
const LOCAL: [name: string, text: string | Buffer, line: number, words: RegExp][] = [
  ["no-front", "Hello.\n", 1, /^has no front matter: begin with `---`/],
  ["open-front", "---\nname: Open\n", 1, /^has no front matter/],
  ["no-name", file("tags: [a]"), 1, /^has no `name`/],
  ["number-name", file("tags: [a]\nname: 5"), 3, /`name` that is not text: write it in quotes/],
  ["yaml", file("name: Yaml\npersonas: [calm"), 3, /^has front matter that is not YAML: a \[ or \{ is not closed/],
  ["tab", file("name: Tab\npersonas:\n\t- calm"), 4, /: a tab begins a line: write spaces in its place$/],
  ["colon", file("name: Room: one"), 2, /: a text has a colon: write the text in quotes/],
  ["twice", file("name: A\nname: B"), 3, /: a name occurs twice: remove one of them$/],
  ["open-quote", file('name: "A'), 2, /: a quote or a bracket is not closed: close it$/],
  ["misspelt", "---\nname: M\n---\n\n## Szenario\n\nA.\n", 5, /^has the heading `## Szenario`\. Write `## Scenario`$/],
  [
    "british",
    "---\nname: British\n---\n## Scenario\nA.\n## Expected behaviours\n- Is kind.\n",
    6,
    /^has the heading `## Expected behaviours`\. Write `## Expected behaviors`$/,
  ],
  ["alias", file("name: &a Alias\npersonas: [*a]"), 3, /aliases: write their values/],
  [
    "lost-number",
    file("name: Lost\nmock_tools:\n  - tool: t\n    answer: 12345678901234567890"),
    5,
    /write it in quotes/,
  ],
  ["typo", file("name: Typo\ntag: smoke"), 3, /^has "tag" in its front matter\. Did you mean "tags"\?/],
  ["unknown", file("name: Unknown\nowner: me"), 3, /^has "owner" in its front matter\. Use only name, suite, tags/],
  ["half-ids", file("name: Half\nid: tst_1"), 3, /only one of `id` and `version_id`: remove it/],
  ["early-text", "---\nname: Early\n---\n\nHello\n", 5, /text before its first section: move it below/],
  ["no-scenario", "---\nname: NoScenario\n---\n## Expected behaviors\n- Is kind.\n", 4, /no section `## Scenario`/],
  ["no-behaviors", "---\nname: NoBehaviors\n---\n## Scenario\nA.\n", 4, /no section `## Expected behaviors`/],
  ["two-sections", file("name: Twice", "A.\n## Scenario"), 8, /two sections `## Scenario`/],
  ["no-item", file("name: NoItem", undefined, "Is kind."), 11, /not a list item: write `- Is kind\.`/],
  ["empty-list", file("name: Empty", undefined, ""), 9, /no behavior below `## Expected behaviors`: write one/],
  ["long-name", file(`tags: [a]\nname: ${"n".repeat(201)}`), 3, /^name: At most 200 characters\.$/],
  ["blank-scenario", file("name: Blank", ""), 5, /^scenario: This is empty\.$/],
  ["long-scenario", file("name: Long", "s".repeat(20_001)), 5, /^scenario: At most 20000 characters\.$/],
  [
    "long-behavior",
    file("name: LongB", undefined, `- Is kind.\n- ${"b".repeat(2_001)}`),
    12,
    /^behavior 2: At most 2000 char/,
  ],
  [
    "many-behaviors",
    file("name: Many", undefined, "- Is kind.\n".repeat(101)),
    9,
    /^expected_behaviors: At most 100 items\.$/,
  ],
  [
    "caller-line",
    file("name: Line", "A caller.\nSays: Hello.\nSays (after /hel(lo/): Bye."),
    9,
    /^scenario: The caller line /,
  ],
  ["persona-text", file("name: PersonaText\npersonas: calm"), 3, /^personas: This must be a list\.$/],
  ["persona-number", file("name: PersonaNumber\npersonas:\n  - calm\n  - 5"), 5, /^persona 2: This must be a text\.$/],
  ["no-tool", file("name: NoTool\nmock_tools:\n  - answer: 1"), 4, /^mock tool 1, tool: This is missing\.$/],
  [
    "both",
    file("name: Both\nmock_tools:\n  - { tool: a, answer: 1 }\n  - { tool: b, answer: 1, error: x }"),
    5,
    /^mock tool 2: Send either `answer` or `error`/,
  ],
  [
    "same-tool",
    file("name: Same\nmock_tools:\n  - { tool: a, answer: 1 }\n  - tool: a\n    answer: 2"),
    5,
    /^mock tool 2, tool: The test already mocks the tool "a"/,
  ],
  [
    "delay",
    file("name: Delay\nmock_tools:\n  - tool: a\n    answer: 1\n    delay_ms: 40000"),
    6,
    /^mock tool 1, delay_ms: At most 30000\.$/,
  ],
  [
    "mock-member",
    file("name: Member\nmock_tools:\n  - tool: a\n    answer: 1\n    delay: 3"),
    4,
    /^mock tool 1: There is no "delay" here\. Did you mean "delay_ms"\?$/,
  ],
  [
    "big-mock",
    file(`name: Big\nmock_tools:\n  - tool: a\n    answer: ${big}`),
    4,
    /^mock tool 1: Keep a mock tool under 15 KiB/,
  ],
  ["tag", file("name: Tag\ntags:\n  - ok\n  - two words"), 5, /^tag 2: A tag is one word/],
  ["suite", file("name: Suite\nsuite: [a]"), 3, /^suite: This must be a text\.$/],
  ["agent", file("name: Agent\nagent: 7"), 3, /^agent: Write the name of an agent\.$/],
  ["iterations", file("name: Iterations\niterations: five"), 3, /^iterations: Write a whole number from 1 to 20\.$/],
  ["require", file("name: Require\niterations: 5\nrequire: 6/5"), 4, /^require: Write the share of the iterations/],
  [
    "deep/er/duplicate",
    file("tags: [a]\nname: First"),
    3,
    /^has the same name "First" as \S+a-first\.md: choose another/,
  ],
  ["latin", Buffer.from([0x2d, 0xe9]), 1, /^is not UTF-8 text$/],
  ["large", "x".repeat(1024 * 1024 + 1), 1, /^is larger than 1 MiB$/],
];

/** Mistakes that only the service finds. */
const AT_SERVICE: typeof LOCAL = [
  ["clam", file("name: Clam\npersonas:\n  - calm\n  - clam"), 5, /^persona 2: There is no persona "clam"/],
  ["calm-twice", file("name: Calm\npersonas: [calm, calm]"), 3, /^persona 2: The persona "calm" is listed twice/],
  [
    "condition",
    file("name: Condition\nmock_tools:\n  - tool: a\n    answer: 1\n    succeeds_when: '='"),
    6,
    /^mock tool 1, succeeds_when: /,
  ],
  [
    "open-quote",
    file("name: Quote", undefined, '- Is kind.\n- says "240'),
    12,
    /^behavior 2: The quote " does not close/,
  ],
  ["pattern", file("name: Pattern", undefined, "- says /hel(lo/"), 11, /^behavior 1: /],
  [
    "suite-id",
    file("tags: [a]\nname: SuiteId\nsuite: ste_00000000000000000000000000"),
    4,
    /^suite: .*no suite with this id or name/,
  ],
  [
    "moved",
    file("name: Moved\nsuite: Nightly"),
    3,
    /is in the suite "Default" of the service, and a test keeps its suite/,
  ],
];

type Fault = { path: string; line: number; fault: string };
type Report = { faults: Fault[]; tests: number };

let server: SharedServer;
let home: ReturnType<typeof openHome>;
let folder: string;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  folder = mkdtempSync(join(tmpdir(), "svc-mistakes-"));
  for (const kind of ["local", "service"]) write(kind, "a-first", file("name: First"));
  for (const [name, text] of LOCAL) write("local", name, text);
  for (const [name, text] of AT_SERVICE) write("service", name, text);
  await server.client.tests.create({ name: "Moved", scenario: "A caller.", expected_behaviors: ["Is kind."] });
});
afterAll(async () => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const pathOf = (kind: string, name: string) => join(folder, kind, `${name}.md`);

function write(kind: string, name: string, text: string | Buffer): void {
  mkdirSync(dirname(pathOf(kind, name)), { recursive: true });
  writeFileSync(pathOf(kind, name), text);
}

describe.each([
  ["local", LOCAL, ["--offline"]],
  ["service", AT_SERVICE, []],
])("a %s mistake", (kind, mistakes, flags) => {
  let report: Report;
  let refused: { stderr: string; exitCode: number | null };
  beforeAll(async () => {
    report = await home.json<Report>(["tests", "validate", join(folder, kind), ...flags]);
    refused = await home.svc(["tests", "push", join(folder, kind)]);
  });

  test.each(mistakes)("%s is found on its line", (name, _, line, words) => {
    const faults = report.faults.filter(({ path }) => path === pathOf(kind, name));
    expect(faults).toEqual([{ path: pathOf(kind, name), line, fault: expect.stringMatching(words) }]);
    expect(faults[0]!.fault).not.toMatch(/Invalid input|Too (?:small|big)|expected \w+,|received/);
  });

  test("a mistake is the only fault of its file, and a push is refused for the same files", () => {
    expect(report.faults).toHaveLength(mistakes.length);
    expect(report.tests).toBe(mistakes.length + 1);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^(?:Skipped.*\n)?Nothing was written/),
    ]);
    const named = mistakes.filter(([name]) => refused.stderr.includes(pathOf(kind, name)));
    expect(named.length).toBe(kind === "local" ? mistakes.length : 1);
  });
});

test("a push names the line of each mistake that only the service finds, when the conflicts are mended", async () => {
  rmSync(pathOf("service", "moved"));
  const { stderr } = await home.svc(["tests", "push", join(folder, "service")]);
  for (const [name, , line, words] of AT_SERVICE.slice(0, -1)) {
    const [, fault] = new RegExp(`${name}\\.md:${line}: (.*)`).exec(stderr) ?? [];
    expect(fault, stderr).toMatch(words);
  }
});

test("`tests validate` shows each mistake on one line, and exits with 1", async () => {
  const { exitCode, stdout, stderr } = await home.svc(["tests", "validate", pathOf("local", "typo"), "--offline"]);
  expect([exitCode, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(
    /typo\.md:3: has "tag" in its front matter\. Did you mean "tags"\?\n\n1 of 1 file is not valid\.\n$/,
  );
});

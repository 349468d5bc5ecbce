import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CALLER_CONDITIONS, readCallerScript } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TESTS } from "../../packages/server/src/runs/sample/booking-suite.ts";
import { readTestFile } from "../../packages/cli/src/test-files/test-file.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { chatConnection } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let agent: ChatAgent;
let home: ReturnType<typeof openHome>;
let folder: string;

beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent(() => ({ message: "Booked." }));
  await chatConnection(server.client, agent.url);
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  folder = mkdtempSync(join(tmpdir(), "svc-lines-"));
});
afterAll(async () => {
  agent.stop();
  home.remove();
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const BEHAVIOR = ["--behavior", 'says "booked"'];
const scenarioOf = async (name: string) => (await home.json<{ scenario: string }>(["tests", "show", name])).scenario;

describe("`tests create` and `tests edit`", () => {
  test("`tests create` and `tests edit` write lines and facts into the scenario, and replace them", async () => {
    const create = ["tests", "create", "--name", "Written", "--scenario", "Ana calls.", ...BEHAVIOR];
    const { exitCode } = await home.svc([
      ...create,
      "--says",
      "Hello.",
      "--says",
      "(after /booked/) Bye.",
      "--fact",
      "name = Ana",
    ]);
    expect([exitCode, await scenarioOf("Written")]).toEqual([
      0,
      "Ana calls.\n\nSays: Hello.\nSays (after /booked/): Bye.\nFacts: name = Ana",
    ]);
    expect((await home.svc(["tests", "edit", "Written", "--says", "Good day."])).exitCode).toBe(0);
    expect(await scenarioOf("Written")).toBe("Ana calls.\n\nSays: Good day.\nFacts: name = Ana");
    expect((await home.svc(["tests", "edit", "Written", "--scenario", "Ben.", "--fact", "name = Ben"])).exitCode).toBe(
      0,
    );
    expect(await scenarioOf("Written")).toBe("Ben.\n\nFacts: name = Ben");
  });

  test("`tests create` and `tests edit` refuse a broken line with its fix", async () => {
    const create = ["tests", "create", "--name", "Broken", "--scenario", "Ana calls.", ...BEHAVIOR];
    const { exitCode, stderr } = await home.svc([...create, "--says", "(after /(/) Yes."]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/waits for \/\(\/\. The pattern cannot be read/)]);
    const edited = await home.svc(["tests", "edit", "Written", "--says", "(after dark) Yes."]);
    expect([edited.exitCode, edited.stderr]).toEqual([1, expect.stringMatching(/has a condition that cannot be read/)]);
  });
});

describe("a run without a line", () => {
  test("a run without a line is named by the dry run and ends with 2, whatever the report", async () => {
    const { exitCode, stdout } = await home.svc([
      "tests",
      "create",
      "--name",
      "Silent",
      "--scenario",
      "Ana calls.",
      ...BEHAVIOR,
    ]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/only a language model can play it/)]);
    const plan = await home.svc(["runs", "start", "--test", "Silent", "--dry-run"]);
    expect(plan.stdout).toContain('The scripted caller has no line in "Silent"');
    const junit = join(folder, "result.xml");
    const run = await home.svc(["runs", "start", "--test", "Silent", "--junit", junit]);
    expect([run.exitCode, run.stdout]).toEqual([2, expect.stringContaining("no_caller_lines")]);
    expect(run.stdout).toContain("1 simulation was not played, because the scripted caller has no line in the test.");
    expect(run.stdout).not.toMatch(/the agent said nothing|language model [^]*language-model set/);
    expect(readFileSync(junit, "utf8")).toContain("Add a `Says:` line");
    expect(agent.heard).toEqual([]);
  });
});

describe("a test file", () => {
  const FRONT = "---\nname: Filed\n---\n\n## Scenario\n\nAna calls.\n";
  const BEHAVIORS = '\n## Expected behaviors\n\n- says "booked"\n';
  const CALLER = "\n## Caller says\n\n- Hello.\n- (after /booked/) Bye.\n\n## Facts\n\n- name = Ana\n";

  test.each([
    ["before", `${FRONT}${CALLER}${BEHAVIORS}`],
    ["after", `${FRONT}${BEHAVIORS}${CALLER}`],
  ])("a test file may have the lines and facts in sections %s the behaviors", (_, file) => {
    const { scenario, expected_behaviors } = readTestFile(file);
    expect(expected_behaviors).toEqual(['says "booked"']);
    expect(readCallerScript(scenario)).toEqual({
      lines: [
        { when: "next", words: null, afterMs: 0, text: "Hello." },
        { when: "next", words: "booked", afterMs: 0, text: "Bye." },
      ],
      facts: [{ name: "name", value: "Ana" }],
      problems: [],
      situation: "Ana calls.",
    });
  });

  test("a test file with a broken line is found by `tests validate`", async () => {
    writeFileSync(join(folder, "broken.md"), `${FRONT}\nSays (after /[/): Yes.\n${BEHAVIORS}`);
    const { exitCode, stdout } = await home.svc(["tests", "validate", folder]);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/broken\.md:9: scenario: The caller line `Says \(after \/\[\/\): Yes\.` waits for/),
    ]);
  });
});

test("each test of the demo has lines that can be read", () => {
  for (const { scenario } of TESTS) {
    const { lines, problems } = readCallerScript(scenario);
    expect([lines.length > 0, problems]).toEqual([true, []]);
  }
});

test("docs/callers.md shows each condition with an example that can be read", () => {
  const page = readFileSync(new URL("../../docs/callers.md", import.meta.url), "utf8").replaceAll("\\|", "|");
  for (const { form, example } of CALLER_CONDITIONS) {
    expect(page).toContain(`\`${example}\``);
    if (form !== "hang up") expect(page).toContain(`(${form})`);
  }
  const [first] = /(?<=```text\n)Ana[^]*?(?=```)/.exec(page)!;
  expect(readCallerScript(first)).toMatchObject({ problems: [], lines: [{}, {}, {}, {}], facts: [{}, {}] });
});

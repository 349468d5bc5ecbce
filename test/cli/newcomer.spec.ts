import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunReport } from "../../packages/cli/src/runs/report.ts";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { SHARES_TRACES } from "../support/engine.ts";
import { chatConnection } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { IS_LONG } from "../support/long-form.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";

type Test = { id: string; name: string; version: number; tags: string[]; expected_behaviors: string[] };

let server: TestServer;
let agent: ChatAgent;
let home: ReturnType<typeof openHome>;
let folder: string;
/** The agent's answer to every message. If it is undefined, the agent refuses as the API of a language model does. */
let reply: string | undefined = "I am fine.";

beforeAll(async () => {
  server = await startServer();
  agent = await startChatAgent(({ event }, response) => {
    if (event === "start") return {};
    if (reply !== undefined) return { message: reply, ended: true };
    response.writeHead(500, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Incorrect API key provided" } }));
    return null;
  });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
  folder = mkdtempSync(join(tmpdir(), "svc-newcomer-"));
  await chatConnection(server.client, agent.url);
  const scenario = "Says: Hello.";
  await server.client.tests.create(aTest({ name: "Is fine", scenario, expected_behaviors: ['says "fine"'] }));
  await server.client.tests.create(aTest({ name: "Books", scenario, expected_behaviors: ['says "booked"'] }));
});
afterAll(async () => {
  agent?.stop();
  home?.remove();
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

describe("a mistyped name", () => {
  test.each([
    [["tests", "show", "Is fin"], 'Did you mean "Is fine"? See `svc tests list`.'],
    [["runs", "start", "--test", "Boks"], 'Did you mean "Books"? See `svc tests list`.'],
    [["personas", "show", "agnry"], 'Did you mean "angry"? See `svc personas list`.'],
  ])("%j is refused, and the refusal proposes the nearest name", async (args, text) => {
    expect((await home.svc(args)).stderr).toContain(text);
  });

  test("a name that is near to no other gets no proposal", async () => {
    expect((await home.svc(["tests", "show", "Quarterly report"])).stderr).not.toContain("Did you mean");
  });
});

/** A newcomer's mistake, its exit code, and the words that tell the newcomer what to do. */
const MISTAKES: [args: string[], exitCode: number, words: string][] = [
  [["agents", "register", "--name", "Taken"], 1, '--name "Taken" is taken'],
  [["tests", "create", "--name", "Books", "--scenario", "x", "--behavior", "says /x/"], 1, '--name "Books" is taken'],
  [["tests", "create", "--name", "N", "--scenario", "x", "--behavior", "says /a(/"], 1, "A ( is not closed. Close it"],
  [
    ["tests", "create", "--name", "N", "--scenario", "x", "--says", "(after /a(/) Hi", "--behavior", "says /x/"],
    1,
    "--says: The caller line ",
  ],
  [
    ["tests", "create", "--name", "N", "--scenario", "x", "--fact", "name: Ana", "--behavior", "says /x/"],
    1,
    '--fact: The fact `name: Ana` has no name and value. Write --fact "name = Ana Silva".',
  ],
  [
    ["tests", "create", "--name", "N", "--scenario", "x", "--behavior", "says /x/"].concat([
      "--mock-tools",
      '[{"tool": "t", "answr": 1}]',
    ]),
    1,
    'There is no "answr" here. Did you mean "answer"? ',
  ],
  [["runs", "show", "Books"], 1, '"Books" is no id, and this command takes the id of a run. See `svc runs list`.'],
  [
    ["runs", "show", `tst_${"0".repeat(26)}`],
    1,
    "is the id of a test, and this command takes a run. See `svc runs list`.",
  ],
  [["keys", "revoke", "laptop"], 1, '"laptop" is no id, and this command takes the id of a key. See `svc keys list`.'],
  [["runs", "start", "--test", "Books", "--max-cost", "free"], 3, "--max-cost: Write a number such as 0.50, not"],
  [["runs", "start", "--test", "Books", "--junit", "/nowhere/x.xml"], 3, "there is no folder /nowhere. Name a file in"],
  [
    ["connections", "add", "Taken", "--type", "http_chat", "--config", "url=http://127.0.0.1:9/"],
    2,
    "Set --config format=openai or --config format=svc.",
  ],
  [["tests", "validate", "nowhere"], 2, "nowhere does not exist. Name a folder with tests"],
];

describe("a mistake in a command", () => {
  let agentId: string;
  beforeAll(async () => {
    agentId = (await server.client.agents.register({ name: "Taken" })).agent.id;
  });
  // The runs below name no agent, and use the project's only one.
  afterAll(() => server.client.agents.archive({ agentId }));

  test.each(MISTAKES)(
    "svc %j ends with the exit code %i, and its message names the remedy",
    async (args, code, words) => {
      const { exitCode, stderr } = await home.svc(args);
      expect([exitCode, stderr]).toEqual([code, expect.stringContaining(words)]);
    },
  );

  test("a test file with an unknown agent is named before a run starts", async () => {
    const file = join(folder, "front.md");
    writeFileSync(
      file,
      "---\nname: Front\nagent: Nobdy\n---\n## Scenario\nSays: Hi\n## Expected behaviors\n- says /x/\n",
    );
    expect((await home.svc(["tests", "push", file, "--suite", "Files"])).exitCode).toBe(0);
    const { exitCode, stderr } = await home.svc(["runs", "start", "--files", file]);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`${file}: agent: There is no agent "Nobdy"`)]);
  });

  test("an address that ends in a path of the API is named with the address to set", async () => {
    const { exitCode, stderr } = await home.svc(["tests", "list", "--url", `${server.url}/api/`]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Set the address without it: ${server.url}`)]);
  });
});

describe("`whoami`", () => {
  test("`svc whoami` with an organization's key shows its person, organization, role and key", async () => {
    const { exitCode, stdout } = await home.svc(["whoami"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Person +\S.*\(admin@acme\.test\)\nOrganization +Organization\nRole +admin\n/);
    expect(stdout).toContain(`svc_sk_…${server.adminKey.slice(-4)}`);
    expect(stdout).toMatch(/for the whole organization\nKey may +admin\nKey from +SVC_API_KEY\n/);
    expect(stdout).toContain(`${server.url} (SVC_URL)`);
  });

  test("`whoami` shows the one project of a project's key", async () => {
    const { stdout } = await home.svc(["whoami"], { env: { SVC_API_KEY: server.projectKey } });
    expect(stdout).toMatch(/for only the project "Default"[^]*Project +Default\n/);
  });
});

describe("`completion`", () => {
  const completed = (shell: string, script: string, words: string[]) =>
    execFileSync(
      shell,
      [
        "-c",
        `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; echo "\${COMPREPLY[@]}"`,
        shell,
        ...words,
      ],
      { encoding: "utf8" },
    ).trim();

  test("the script of bash completes topics, commands, flags and the values of flags", async () => {
    const { stdout, exitCode } = await home.svc(["completion", "bash"]);
    expect(exitCode).toBe(0);
    const script = join(folder, "svc.bash");
    writeFileSync(script, stdout);
    expect(completed("bash", script, ["svc", "mon"])).toBe("monitoring");
    expect(completed("bash", script, ["svc", "runs", "re"])).toBe("regrade rerun");
    expect(completed("bash", script, ["svc", "runs", "start", "--fail"])).toBe("--failed-only");
    expect(completed("bash", script, ["svc", "whoami", "--prof"])).toBe("--profile");
    expect(completed("bash", script, ["svc", "runs", "list", "--status", "c"])).toBe("completed canceled");
  });

  test("the scripts of zsh and fish name every topic, and another shell is refused", async () => {
    expect((await home.svc(["completion", "zsh"])).stdout).toMatch(/^autoload -U \+X compinit/);
    expect((await home.svc(["completion", "fish"])).stdout).toContain("-a monitoring -d 'Import of production");
    const { exitCode, stderr } = await home.svc(["completion", "csh"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
  });
});

describe("tags", () => {
  test("`tests tag` adds and removes tags without a version, and `tests list --tag` lists the tests with one", async () => {
    expect((await home.svc(["tests", "tag", "Is fine", "smoke", "fast"])).stdout).toBe(
      '"Is fine" has the tags fast, smoke.\n',
    );
    const tagged = await home.json<Test>(["tests", "tag", "Is fine", "--remove", "fast"]);
    expect(tagged).toMatchObject({ version: 1, tags: ["smoke"] });
    const { items } = await home.json<{ items: Test[] }>(["tests", "list", "--tag", "smoke"]);
    expect(items.map(({ name }) => name)).toEqual(["Is fine"]);
    const ofSuite = await home.json<{ items: Test[] }>(["tests", "list", "--tag", "smoke", "--suite", "Default"]);
    expect(ofSuite.items).toEqual(items);
    expect((await home.svc(["tests", "show", "Is fine"])).stdout).toMatch(/Tags +smoke/);
    expect((await home.svc(["tests", "tag", "Is fine"])).stderr).toContain("Name a tag to add, or set --remove TAG");
    expect((await home.svc(["tests", "tag", "Is fine", "two words"])).stderr).toContain("A tag is one word");
  });
});

describe("the selection of a run", () => {
  const report = (args: string[]) => home.json<RunReport>(["runs", ...args]);
  const playedIn = ({ simulations }: RunReport) =>
    simulations.map(({ testName, personaName }) => `${testName} · ${personaName}`).sort();

  test("`runs start --tag --persona` plays the tests with the tag with these personas", async () => {
    await home.svc(["tests", "tag", "Is fine", "smoke"]);
    const chosen = ["start", "--tag", "smoke", "--persona", "angry", "--persona", "hurried"];
    expect(playedIn(await report(chosen))).toEqual(["Is fine · angry", "Is fine · hurried"]);
    const both = await home.svc(["runs", "start", "--tag", "smoke", "--test", "Books"]);
    expect([both.exitCode, both.stderr]).toEqual([3, expect.stringContaining("--tag cannot be combined with --test")]);
    expect((await home.svc(["runs", "start", "--tag", "absent"])).stderr).toContain("svc tests tag");
  });

  test("`runs start --failed-only` and `runs rerun --failed-only` play only what did not pass", async () => {
    const first = await report(["start", "--suite", "Default", "--persona", "calm"]);
    expect(playedIn(first)).toEqual(["Books · calm", "Is fine · calm"]);
    const again = await report(["rerun", first.run.id]);
    expect(playedIn(again)).toEqual(playedIn(first));
    const failed = await report(["start", "--suite", "Default", "--failed-only"]);
    expect(playedIn(failed)).toEqual(["Books · calm"]);
    reply = "It is booked.";
    const mended = await report(["rerun", first.run.id, "--failed-only"]);
    reply = "I am fine.";
    expect([playedIn(mended), mended.outcome]).toEqual([["Books · calm"], "passed"]);
    const nothing = await home.svc(["runs", "rerun", mended.run.id, "--failed-only"]);
    expect([nothing.exitCode, nothing.stderr]).toEqual([3, expect.stringContaining("Everything passed in the run")]);
  });

  test("`runs start --markdown` writes a table for a pull request", async () => {
    const path = join(folder, "result.md");
    await home.svc(["runs", "start", "--test", "Books", "--markdown", path]);
    expect(readFileSync(path, "utf8")).toMatch(
      /\| verdict \| test \| why \|\n\| --- \| --- \| --- \|\n\| failed \| Books \| /,
    );
  });

  test("`runs regrade` and `simulations regrade` grade again, and a veto fails a simulation for good", async () => {
    const { run, simulations } = await report(["start", "--test", "Is fine"]);
    const { id } = simulations[0]!;
    expect((await home.svc(["simulations", "regrade", id])).stdout).toContain(`${id}: passed (before: passed)`);
    const vetoed = await home.svc(["simulations", "veto", id, "--reason", "The calendar is empty."]);
    expect([vetoed.exitCode, vetoed.stdout]).toEqual([0, expect.stringContaining("is failed by veto")]);
    const regraded = await report(["regrade", run.id, "--yes"]);
    expect(regraded.run).toMatchObject({ failedVerdicts: 1, passedVerdicts: 0 });
    const declined = await home.svc(["runs", "regrade", run.id]);
    expect([declined.exitCode, declined.stderr]).toEqual([2, expect.stringContaining("Set --yes to skip it")]);
  });
});

describe("`tests edit`", () => {
  const editor = (script: string) => {
    const path = join(folder, "editor.sh");
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { VISUAL: "", EDITOR: path };
  };
  const edit = (name: string, script: string) =>
    home.svc(["tests", "edit", name, "--editor", "--yes"], { env: editor(script) });

  beforeAll(async () => {
    await server.client.tests.create(aTest({ name: "Edited", expected_behaviors: ['says "one"', 'says "two"'] }));
  });

  test("the editor gets the test as Markdown, and the command shows the changes before it sends them", async () => {
    const { exitCode, stdout, stderr } = await edit("Edited", `sed -i 's/"two"/"three"/' "$1"`);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/- says "two"\n +\+ says "three"/);
    expect(stdout).toMatch(/^Edited "Edited"/);
    const test = await home.json<Test>(["tests", "show", "Edited"]);
    expect(test).toMatchObject({ version: 2, expected_behaviors: ['says "one"', 'says "three"'] });
  });

  test("an unchanged file changes nothing, and a file that is no test is refused and stays", async () => {
    expect((await edit("Edited", "true")).stdout).toContain("Nothing was changed.");
    const broken = await edit("Edited", 'echo "no test" > "$1"');
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toMatch(/Nothing was changed\. Your text is in \S+test\.md/);
    const path = /in (\S+test\.md)/.exec(broken.stderr)![1]!;
    expect(readFileSync(path, "utf8")).toBe("no test\n");
    rmSync(join(path, ".."), { recursive: true });
    expect((await edit("Edited", "exit 3")).stderr).toContain("ended with exit code 3");
  });

  test("--behavior shows the behaviors that it removes and adds", async () => {
    const { stdout } = await home.svc(["tests", "edit", "Edited", "--behavior", 'says "one"']);
    expect(stdout).toMatch(/^expected behaviors:\n +- says "three"\n\nEdited "Edited"/);
  });
});

describe("the service at a terminal", () => {
  test("the log is text with LOG_FORMAT=text, and JSON when nothing says otherwise", async () => {
    const ofSources = "in this folder    npx --no -- svc";
    const dataDir = (name: string) => ["serve", "--port", "0", "--data-dir", join(folder, name)];
    for (const [format, start, line, place] of [
      ["text", home.startFromSources, /^\d\d:\d\d:\d\d {2}serving {2}address=http/m, ofSources],
      // The long form also starts the program from its sources.
      ["auto", home.start, /^\{"level":"info",.*"msg":"serving"\}$/m, IS_LONG ? ofSources : "in a terminal    svc"],
    ] as const) {
      const service = start(dataDir(format), { LOG_FORMAT: format });
      await until("the service is up", () => /serves at/.test(service.stderr()) || undefined);
      await until("the way to claim it is there", () => /claim --url/.test(service.stderr()) || undefined);
      service.kill("SIGTERM");
      const { stdout, stderr } = await service.ended;
      expect(stdout).toMatch(line);
      expect(stderr).toMatch(/^ {2}in a browser {5,6}http:.*\/claim$/m);
      expect(stderr).toContain(`\n  ${place} claim --url http:`);
    }
  });
});

describe("`doctor`", () => {
  test("`doctor` checks the language model and the disk of the service", async () => {
    const { checks } = await home.json<{ checks: { name: string; state: string; finding: string }[] }>(["doctor"]);
    const found = (name: string) => checks.find((check) => check.name === name);
    expect(found("language model")).toMatchObject({ state: "note", finding: expect.stringContaining("none") });
    const disk = { state: "ok", finding: expect.stringMatching(/GB of the service's disk/) };
    expect(found("disk")).toEqual(SHARES_TRACES ? undefined : expect.objectContaining(disk));
    const ofProject = await home.svc(["doctor"], { env: { SVC_API_KEY: server.projectKey } });
    expect(ofProject.stdout).toMatch(/skipped +language model, speech providers and disk: only an admin's/);
  });

  test("`doctor` names what the agent of the last run said when it did not work", async () => {
    reply = undefined;
    await home.svc(["runs", "start", "--test", "Books"]);
    reply = "I am fine.";
    const { stdout } = await home.svc(["doctor"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /note last run: 1 of 1 conversation did not work: .*Incorrect API key provided.* `svc runs show run_\w+` shows them all\./,
    );
  });
});

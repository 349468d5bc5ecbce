import { existsSync, globSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { commandIds, loadCommand, summaryOf, TOPICS } from "../../packages/cli/src/commands.ts";
import { main } from "../../packages/cli/src/main.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openHome } from "../support/cli.ts";
import { IS_SHARED, SHARES_TRACES } from "../support/engine.ts";
import { newSecret } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";

const IDS = [commandIds(), ...Object.keys(TOPICS).map((topic) => commandIds(topic))].flat();
const NOWHERE = "http://127.0.0.1:9";
const OLD_NODE = "/usr/bin/node";

let server: TestServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

describe("the help", () => {
  test.each(IDS)("the help shows for `%s` the summary of the command's file, the usage and an example", async (id) => {
    const { summary } = await loadCommand(id);
    expect(summaryOf(id)).toBe(summary);
    const words = id.split(":");
    const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await main([...words, "--help"]);
    const help = printed.mock.calls.map(([text]) => String(text)).join("");
    printed.mockRestore();
    expect(help.startsWith(`${summary}\n`)).toBe(true);
    expect(help).toContain(`$ svc ${words.join(" ")}`);
    expect(help).toMatch(/\nEXAMPLES\n/);
    expect(process.exitCode ?? 0).toBe(0);
  });

  test("the help starts each text with a capital letter and ends it with a period, except summaries, which have no period", async () => {
    for (const id of IDS) {
      const { summary, description, flags, args } = await loadCommand(id);
      expect(summary, id).toMatch(/^[A-Z].*[^.]$/);
      const inputs = Object.values({ ...flags, ...args }).map((input) => input.description);
      for (const text of [description ?? "None.", ...inputs]) expect(text, id).toMatch(/^(?:[A-Z`]|--)[^]*\.$/);
    }
  });

  test("the help groups commands by topics: each folder of commands is a topic, and each topic is a folder of commands", () => {
    const folders = globSync("packages/cli/src/commands/*/").map((path) => basename(path));
    expect(folders.sort()).toEqual(Object.keys(TOPICS).sort());
  });

  test("the help lists topics, commands and exit codes for the program", async () => {
    const { stdout, exitCode } = await home.svc([]);
    expect(exitCode).toBe(0);
    for (const word of ["TOPICS", "tests ", "traces ", "COMMANDS", "doctor", "Exit codes"])
      expect(stdout).toContain(word);
    expect((await home.svc(["--help"])).stdout).toBe(stdout);
  });

  test("the help shows the flags of a command and an example, for `--help` and for `help`", async () => {
    const { stdout } = await home.svc(["tests", "create", "--help"]);
    for (const word of ["--scenario=<text>", "(required)", "GLOBAL FLAGS", "--json", "$ svc tests create"])
      expect(stdout).toContain(word);
    expect((await home.svc(["help", "tests", "create"])).stdout).toBe(stdout);
  });

  test("the help lists the commands of a topic", async () => {
    expect((await home.svc(["keys"])).stdout).toMatch(/keys create.*keys list.*keys revoke/s);
  });
});

describe("a wrong command line", () => {
  test.each([
    [["tests", "paint"], /no command "tests paint"\. See `svc tests --help`/],
    [["tests", "lst"], /no command "tests lst"\. Did you mean "tests list"\? See `svc tests --help`/],
    [["test", "list"], /no command "test list"\. Did you mean "tests list"\?/],
    [["agent"], /no command "agent"\. Did you mean "agents"\? See/],
    [["tests", "list", "--suit", "Booking"], /Nonexistent flag: --suit\. Did you mean "--suite"\? See/],
    [["paint"], /no command "paint"\. See `svc --help`/],
    [["--json", "tests"], /Write the command before its options/],
    [["tests", "--json", "list"], /Write the command before its options/],
    [["tests", "create"], /^Missing --name, --scenario\. See `svc tests create --help`/],
    [["tests", "versions"], /^Missing TEST \(Id or exact name of the test\)\. See/],
    [["graders", "label"], /^Missing ID \(Id of the grade.*\) and VERDICT \(passed or failed or unsure\)\. See/],
    [["provider-keys", "set", "nobody"], /to be one of: openai, /],
    [["tests", "list", "--limit", "0"], /^--limit: Expected an integer greater than or equal to 1/],
    [["keys", "list", "--colour"], /Nonexistent flag: --colour/],
    [["traces", "list", "--from", "soon"], /"soon" is not a time\. Write 30m, 24h/],
    [["health", "--url", "nowhere"], /An address looks like http/],
    [["tests", "edit", "tst_x"], /Nothing to change\. Set --name/],
  ])("%j exits with 2 and says on one line what to do", async (args, expected) => {
    const { exitCode, stdout, stderr } = await home.svc(args);
    const message = args.includes("--json") ? (JSON.parse(stdout) as { message: string }).message : stderr.trimEnd();
    expect(message).toMatch(expected);
    expect(message).not.toContain("\n");
    expect(exitCode).toBe(2);
  });

  test("a wrong command line is refused when it contains an API key, and the refusal does not repeat the key", async () => {
    const secret = newSecret();
    const { exitCode, stdout, stderr } = await home.svc(["login", secret]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("The command line holds an API key");
    expect(stdout + stderr).not.toContain(secret);
  });
});

describe("a refusal of the service", () => {
  const refusalOf = async (...args: string[]) => {
    vi.stubEnv("SVC_URL", server.url);
    vi.stubEnv("SVC_API_KEY", server.adminKey);
    const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await main(args);
    const refusal = { exitCode: process.exitCode, text: printed.mock.calls.map(([text]) => String(text)).join("") };
    printed.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = 0;
    return refusal;
  };
  const id = (prefix: string) => `${prefix}_${"0".repeat(25)}z`;

  test.each([
    [["simulations", "show", "x"], 'no "x"', "`svc runs show`"],
    [
      ["runs", "compare", "x", "y"],
      '"x" is no id, and this command takes the id of a run. "y" is no id',
      "`svc runs list`",
    ],
    [["tests", "from-trace", "x"], 'no "x"', "`svc traces list`"],
    [["tests", "versions", "nope"], 'no test "nope"', "`svc tests list`"],
    [["graders", "label", "x", "passed"], 'no "x"', "`svc traces grades TRACE_ID`"],
    [["connections", "list", id("agt")], id("agt"), "`svc agents list`"],
    [["connections", "show", id("agt"), id("con")], id("con"), `\`svc connections list ${id("agt")}\``],
    [["tests", "list", "--suite", id("ste"), "--project", "Default"], id("ste"), "`svc suites list`"],
    [["personas", "show", id("prsv")], id("prsv"), "`svc personas list`"],
    [["monitoring", "disconnect", "platform_a", "--yes"], "platform_a", "`svc monitoring status`"],
  ])(
    "a refusal of the service names the command that lists the ids and names when one is unknown: %j",
    async (args, what, where) => {
      const { exitCode, text } = await refusalOf(...args);
      expect(exitCode).toBe(1);
      expect(text).toContain(what);
      expect(text).toContain(where);
    },
  );

  test.each([
    [["tests", "create", "--name", "x", "--scenario", "y"], "--behavior: At least 1 item."],
    [["suites", "create", "--name", ""], "--name: This is empty."],
    [["agents", "rename", id("agt"), ""], "NAME: This is empty."],
    [["mock-tools", "create", "--tool", "x", "--answer", "1", "--delay-ms", "99999"], "--delay-ms: At most 30000."],
    [["personas", "create", "--name", "x", "--pace", "soon"], "--pace: One of slow, normal, fast."],
    [["personas", "create", "--name", "x", "--noise", "tea"], "--noise kind: One of home, office, cafe"],
    [["metrics", "--measure", "joy"], "--measure: Use names of measures, separated by commas: response_latency"],
  ])(
    "a refusal of the service names the option and its valid values when a value is invalid: %j",
    async (args, text) => {
      const [topic, action] = args;
      const help = topic === "metrics" ? "svc metrics" : `svc ${topic} ${action}`;
      const refusal = await refusalOf(...args);
      expect(refusal.exitCode).toBe(1);
      expect(refusal.text).toContain(text);
      expect(refusal.text).toMatch(new RegExp(`See \`${help} --help\`\\.\n$`));
    },
  );
});

describe("a service", () => {
  test("a service ends the command with 3 when it does not answer, and the message names the address", async () => {
    const { exitCode, stderr } = await home.svc(["health", "--url", NOWHERE]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:9 \(--url\)\. Start the service with `svc serve`/);
  });

  test("a service ends the command with 1 when it refuses, and --json prints the refusal in the service's shape", async () => {
    const { exitCode, stdout, stderr } = await home.svc(["keys", "list", "--json"], {
      env: { SVC_API_KEY: newSecret() },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ error: "not_authenticated", message: expect.stringContaining("svc login") });
  });

  test("a command without a key is refused where a service answers, and where none answers this is said instead", async () => {
    const { exitCode, stderr } = await home.svc(["keys", "list"], { env: { SVC_API_KEY: "" } });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/No API key .*`svc login`/)]);
    const nowhere = await home.svc(["keys", "list", "--url", NOWHERE], { env: { SVC_API_KEY: "" } });
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([3, expect.stringContaining(`Nothing answers at ${NOWHERE}`)]);
  });

  test("a service ends `health` with 0 when it is healthy", async () => {
    const { exitCode, stdout } = await home.svc(["health"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/relational store +reachable/)]);
    expect(await home.json(["health"])).toEqual({
      status: "ok",
      degraded: false,
      relational_store: "reachable",
      relational_engine: IS_SHARED ? "postgresql" : "sqlite",
      analytics_store: "reachable",
      analytics_engine: SHARES_TRACES ? "clickhouse" : "duckdb",
    });
  });
});

test("`health` exits with 3 and names the store that does not answer", async () => {
  const state = {
    status: "unavailable",
    degraded: false,
    relational_store: "reachable",
    analytics_store: "unreachable",
  };
  const ill = createServer((_request, response) => response.writeHead(503).end(JSON.stringify(state)));
  await new Promise<void>((resolve) => ill.listen(0, "127.0.0.1", resolve));
  try {
    const { exitCode, stdout } = await home.svc([
      "health",
      "--url",
      `http://127.0.0.1:${(ill.address() as AddressInfo).port}`,
    ]);
    expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/trace store +unreachable/)]);
  } finally {
    await new Promise((resolve) => ill.close(resolve));
  }
});

describe("doctor", () => {
  test("`doctor` exits with 0 when every check is ok", async () => {
    const { exitCode, stdout } = await home.svc(["doctor"]);
    expect(stdout).toMatch(/ok +API key: accepted \(SVC_API_KEY\)[^]*(All is well|Nothing is wrong)\./);
    expect(exitCode).toBe(0);
  });

  test("`doctor` says what to do when nothing answers, and exits with 1", async () => {
    const { exitCode, stdout } = await home.svc(["doctor", "--url", NOWHERE]);
    expect(stdout).toMatch(
      /wrong +service: nothing answers at http:\/\/127\.0\.0\.1:9\n +Start the service with `svc serve`/,
    );
    expect(exitCode).toBe(1);
  });

  test("`doctor` finds a key that the service rejects", async () => {
    const { checks } = await home.json<{ checks: { name: string; state: string; remedy?: string }[] }>(["doctor"], {
      env: { SVC_API_KEY: newSecret() },
    });
    expect(checks.find(({ name }) => name === "API key")).toMatchObject({
      state: "wrong",
      remedy: expect.stringContaining("svc login"),
    });
  });
});

test("`serve` starts the service and ends on SIGTERM", async () => {
  const served = await home.serve();
  try {
    expect((await home.svc(["health", "--url", served.url])).exitCode).toBe(0);
  } finally {
    expect(await served.stop()).toBe(0);
  }
});

test("`serve` with an invalid setting exits with 3 and names the setting", async () => {
  const { exitCode, stderr } = await home.svc(["serve", "--port", "many"]);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining("PORT")]);
});

test("the program starts under an old Node of the machine, through the Node of the project", async (context) => {
  if (!existsSync(OLD_NODE)) context.skip("the machine has no other Node");
  const { exitCode, stdout } = await home.svcBy(OLD_NODE, ["--version"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^svc\/\d/)]);
  expect((await home.svcBy(OLD_NODE, ["paint"])).exitCode).toBe(2);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_PERMISSION_NAMES } from "@svc/contract/constants";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

type Listed<T = Record<string, unknown>> = { items: T[]; more: boolean };
type Test = { id: string; name: string; version: number; version_id: string; scenario: string };

let server: SharedServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const create = (name: string, ...more: string[]) =>
  home.json<Test>([
    "tests",
    "create",
    "--name",
    name,
    "--scenario",
    "Ada wants Monday.",
    "--behavior",
    "Offers a slot.",
    ...more,
  ]);

describe("keys", () => {
  test("`create` prints only the secret on standard output, and `list` never prints it", async () => {
    const wanted = ["keys", "create", "--name", "worker", "--permissions", "admin", "--project", "Default"];
    const { exitCode, stdout, stderr } = await home.svc(wanted);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^svc_sk_[A-Za-z0-9_-]{43}\n$/);
    expect(stderr).toMatch(/Created key_\S+ \(project Default, admin, without an end\)\. .*not shown again/);
    expect(stderr).not.toContain(stdout.trim());

    const secret = stdout.trim();
    const { keys } = await server.clientOf(secret).keys.list();
    expect(keys.find(({ name }) => name === "worker")?.project_id).toBe(server.project.id);
    const list = await home.svc(["keys", "list"]);
    expect(list.stdout).toContain(`svc_sk_…${secret.slice(-4)}`);
    expect(list.stdout + (await home.svc(["keys", "list", "--json"])).stdout).not.toContain(secret);
  });

  test("`create` gives a key the permissions and the end of its flags, and `list` shows both with the last use", async () => {
    const wanted = ["keys", "create", "--name", "ci", "--permissions", "test, ingest", "--expires", "90d"];
    const { stdout, stderr } = await home.svc([...wanted, "--project", "Default"]);
    expect(stderr).toMatch(/\(project Default, ingest and test, until \d{4}-\d\d-\d\d [\d:]+ UTC\)/);
    await server.clientOf(stdout.trim()).tests.list();
    const end = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
    const list = (await home.svc(["keys", "list"])).stdout;
    expect(list).toMatch(new RegExp(`ci +svc_sk_….{4} +ingest, test .*just now .*127\\.0\\.0\\.1 +until ${end}`));
    for (const [flags, message] of [
      [["--permissions", "everything"], /"everything" is not a permission/],
      [["--permissions", "read", "--expires", "soon"], /"soon" is not a time.*from now/],
    ] as const)
      expect(await home.svc(["keys", "create", ...flags])).toMatchObject({
        exitCode: 2,
        stdout: "",
        stderr: expect.stringMatching(message),
      });
    const far = await home.svc(["keys", "create", "--permissions", "read", "--expires", "9999d"]);
    expect([far.exitCode, far.stderr]).toEqual([1, expect.stringContaining("--expires: Send a time within")]);
  });

  test("`create` makes no key whose permissions nobody chose, and names each permission and the command for a worker", async () => {
    const count = async () => (await server.admin.keys.list()).keys.length;
    const before = await count();
    const { exitCode, stdout, stderr } = await home.svc(["keys", "create", "--name", "worker", "--project", "Default"]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("svc keys create --name worker --permissions ingest --project NAME");
    for (const name of KEY_PERMISSION_NAMES) expect(stderr).toMatch(new RegExp(`^ {2}${name} +[A-Z].*\\.$`, "m"));
    expect(await count()).toBe(before);
    const help = (await home.svc(["keys", "create", "--help"])).stdout.split("\n");
    const examples = help.filter((line) => line.includes("keys create --"));
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) expect(example).toContain("--permissions");
  });

  test("a worker's key may only send: `doctor` accepts it, and other commands name the missing permission", async () => {
    const { secret } = await server.admin.keys.create({ project_id: server.project.id, permissions: ["ingest"] });
    const env = { SVC_API_KEY: secret };
    expect((await home.svc(["doctor"], { env })).stdout).toMatch(/ok +API key: accepted, and it may not read/);
    const list = await home.svc(["tests", "list"], { env });
    expect([list.exitCode, list.stderr]).toEqual([1, expect.stringContaining("lacks the permission `read`")]);
  });

  test("`revoke` ends a key at once", async () => {
    const { id, secret } = await home.json<{ id: string; secret: string }>([
      "keys",
      "create",
      "--permissions",
      "admin",
    ]);
    expect((await home.svc(["keys", "revoke", id])).stdout).toContain(`Revoked ${id}`);
    await expect(server.clientOf(secret).keys.list()).rejects.toMatchObject({ code: "not_authenticated" });
    expect((await home.json<Listed>(["keys", "list"])).items.find((key) => key.id === id)?.revoked_at).toEqual(
      expect.any(String),
    );
  });

  test("keys are refused with an unknown id or project, and the message names the command that lists the known ones", async () => {
    const revoke = await home.svc(["keys", "revoke", "key_nope"]);
    expect([revoke.exitCode, revoke.stderr]).toEqual([1, expect.stringMatching(/no "key_nope".*`svc keys list`/)]);
    const project = await home.svc(["keys", "create", "--permissions", "ingest", "--project", "Nope"]);
    expect([project.exitCode, project.stderr]).toEqual([
      1,
      expect.stringMatching(/no project "Nope".*`svc projects list`/),
    ]);
    expect(project.stdout).toBe("");
  });
});

describe("suites", () => {
  test("suites are created, renamed, listed and deleted by name", async () => {
    const created = await home.json<{ id: string }>(["suites", "create", "--name", "Booking"]);
    expect((await home.svc(["suites", "rename", "Booking", "By phone"])).stdout).toContain(
      `${created.id} is now "By phone"`,
    );
    expect((await home.svc(["suites", "list"])).stdout).toMatch(
      /^By phone .*ste_\w+\nDefault \(for tests without a suite\) /m,
    );
    expect((await home.svc(["suites", "delete", "By phone", "--yes"])).stdout).toContain("with 0 tests");
    expect((await home.json<Listed>(["suites", "list"])).items.map(({ name }) => name)).toEqual(["Default"]);
  });

  test("suites are refused with a taken name, and the default suite cannot be deleted", async () => {
    const taken = await home.svc(["suites", "create", "--name", "Default"]);
    expect([taken.exitCode, taken.stderr.trim().split("\n").length]).toEqual([1, 1]);
    expect((await home.svc(["suites", "delete", "Default", "--yes", "--json"])).stdout).toContain(
      '"error": "conflict"',
    );
  });
});

describe("tests", () => {
  test("tests get their content from options, files and standard input", async () => {
    const tools = join(home.folder, "tools.json");
    writeFileSync(tools, '[{"tool": "find_slots", "answer": null, "delay_ms": 20}]');
    const args = [
      "tests",
      "create",
      "--name",
      "From files",
      "--scenario",
      "-",
      "--behavior",
      "Greets.",
      "--behavior",
      "Ends.",
      "--mock-tools",
      `@${tools}`,
    ];
    const { exitCode, stdout } = await home.svc(args, { stdin: "Ada calls\nabout Monday." });
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Created "From files" \(tst_\w+\) at version 1 \(tstv_\w+\)\.\n- Greets\.\n  nobody decides: [^]*\n2 behaviors need a judge/,
      ),
    ]);
    const [id] = /tst_\w+/.exec(stdout)!;
    expect(await home.json(["tests", "show", id])).toMatchObject({
      scenario: "Ada calls\nabout Monday.",
      expected_behaviors: ["Greets.", "Ends."],
      mock_tools: [{ tool: "find_slots", answer: null, delay_ms: 20 }],
    });
    expect((await home.svc(["tests", "show", id])).stdout).toMatch(
      /Scenario +Ada calls\n +about Monday\.\nBehaviors +- Greets\.\n +nobody decides: .+\n +- Ends\.\n[^]*find_slots answers null after 20 ms/,
    );
  });

  test("tests are edited from their current version, and old versions stay readable", async () => {
    const { id, version_id: first } = await create("Edited");
    const edited = await home.svc(["tests", "edit", id, "--scenario", "@@home at nine."]);
    expect([edited.exitCode, edited.stdout]).toEqual([0, expect.stringContaining("at version 2")]);
    const { items } = await home.json<Listed<{ version: number; current: boolean; scenario: string }>>([
      "tests",
      "versions",
      id,
    ]);
    expect(items.map(({ version, current, scenario }) => [version, current, scenario])).toEqual([
      [2, true, "@home at nine."],
      [1, false, "Ada wants Monday."],
    ]);
    expect((await home.svc(["tests", "show", first])).stdout).toMatch(/version 1, not current[^]*Ada wants Monday\./);
  });

  test("tests are not changed by a stale edit, which names the current version", async () => {
    const { id, version_id: first } = await create("Stale");
    const { version_id: current } = await home.json<Test>(["tests", "edit", id, "--behavior", "Repeats the booking."]);
    const args = ["tests", "edit", id, "--name", "Late", "--expected-version", first];
    const { exitCode, stderr } = await home.svc(args);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(`current version is ${current}, not ${first}\\..*--expected-version ${current}`),
    ]);
    expect(await home.json(args)).toMatchObject({
      error: "version_conflict",
      details: { current_version_id: current },
    });
  });

  test("tests are deleted only after a confirmation or with --yes", async () => {
    const { id } = await create("Doomed");
    const asked = await home.svc(["tests", "delete", id]);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await home.svc(["tests", "delete", id, "--yes"])).stdout).toContain('Deleted the test "Doomed"');
    expect((await home.svc(["tests", "show", id])).stderr).toMatch(/There is no "tst_\w+" .*`svc tests list`/);
  });

  test("tests are listed in one shape with and without a suite, and the list says when there are more", async () => {
    await home.svc(["suites", "create", "--name", "Listed"]);
    const mock = '[{"tool": "pay", "error": "declined", "delay_ms": 5}]';
    const made = [
      await create("L1", "--suite", "Listed", "--mock-tools", mock),
      await create("L2", "--suite", "Listed"),
    ];
    const ofSuite = await home.json<Listed<Test>>(["tests", "list", "--suite", "Listed"]);
    expect(ofSuite).toEqual({ items: made.reverse(), more: false });
    const { items, more } = await home.json<Listed<Test>>(["tests", "list", "--limit", "1"]);
    expect([items, more]).toEqual([[made[0]], true]);
    expect((await home.svc(["tests", "list", "--limit", "1"])).stdout).toContain(
      "There are more than these 1. Set --limit to see them.",
    );
  });

  test("tests are refused with content that cannot be read, and the message says what to do", async () => {
    const base = ["tests", "create", "--name", "Bad", "--behavior", "Greets."];
    const missing = await home.svc([...base, "--scenario", "@/nowhere.txt"]);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringMatching(/nowhere\.txt does not exist\..*@@/)]);
    const json = await home.svc([...base, "--scenario", "Hi", "--mock-tools", "{"]);
    expect([json.exitCode, json.stderr]).toEqual([2, expect.stringContaining("--mock-tools is not JSON")]);
    const twice = await home.svc([...base, "--scenario", "-", "--mock-tools", "-"], { stdin: "[]" });
    expect([twice.exitCode, twice.stderr]).toEqual([
      2,
      expect.stringContaining("Only one option can read standard input"),
    ]);
    const noBehavior = await home.svc(["tests", "create", "--name", "Bad", "--scenario", "Hi"]);
    expect([noBehavior.exitCode, noBehavior.stderr]).toEqual([
      1,
      expect.stringContaining("--behavior: At least 1 item."),
    ]);
    const broken = await home.svc([...base, "--scenario", "Hi", "--behavior", 'says "240']);
    expect([broken.exitCode, broken.stderr]).toEqual([
      1,
      expect.stringContaining('--behavior #2: The quote " does not close'),
    ]);
  });
});

describe("projects", () => {
  test("projects are created, listed and chosen by name", async () => {
    const { exitCode, stdout } = await home.svc(["projects", "create", "--name", "Front desk"]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/Created the project "Front desk" \(front-desk, prj_/),
    ]);
    expect((await home.svc(["projects", "list"])).stdout).toMatch(/^Front desk .*prj_\w+\nDefault .*prj_/m);

    const empty = await home.svc(["tests", "list", "--project", "Front desk"]);
    expect([empty.exitCode, empty.stdout]).toEqual([
      0,
      expect.stringContaining("No tests. To create one: svc tests create"),
    ]);
    expect(await home.json(["tests", "list", "--project", "Front desk"])).toEqual({ items: [], more: false });

    const unnamed = await home.svc(["tests", "list"]);
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([1, expect.stringContaining("with --project or SVC_PROJECT")]);
    const unknown = await home.svc(["tests", "list", "--project", "Nope"]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringMatching(/no project "Nope"/)]);
    const doctor = await home.json<{ checks: { name: string; state: string }[] }>(["doctor"]);
    expect(doctor.checks.find(({ name }) => name === "project")?.state).toBe("wrong");
    expect((await home.svc(["doctor"], { env: { SVC_PROJECT: "Default" } })).exitCode).toBe(0);
  });

  test("a project is created with a retention, edited by its name, and listed with its retention", async () => {
    const create = ["projects", "create", "--name", "Kept briefly", "--retention-days", "30"];
    expect((await home.svc(create)).exitCode).toBe(0);
    expect((await home.svc(["projects", "list"])).stdout).toMatch(/^Kept briefly .* 30 d /m);
    const edit = (...flags: string[]) => home.svc(["projects", "edit", "Kept briefly", ...flags]);
    expect((await edit("--retention-days", "7")).stdout).toContain("are erased after 7 days");
    expect((await edit("--name", "Kept long", "--slug", "long")).stdout).toMatch(/"Kept long" \(long, .* after 7 days/);
    const removed = await home.svc(["projects", "edit", "Kept long", "--retention-days", "none"]);
    expect(removed.stdout).toContain("stay as long as the service keeps conversations");
    expect((await home.svc(["projects", "list"])).stdout).toMatch(/^Kept long .* — /m);
    for (const flags of [[], ["--retention-days", "0"], ["--retention-days", "soon"]]) {
      const refused = await home.svc(["projects", "edit", "Kept long", ...flags]);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(/Set --name|a number of days/)]);
    }
    const { items } = await home.json<{ items: { name: string; id: string }[] }>(["projects", "list"]);
    expect(items.map(({ name }) => name)).toContain("Kept long");
  });
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aTest, freshName, unknownId } from "../support/world.ts";
import { fileOf } from "../support/test-file-text.ts";

let server: SharedServer;
let home: ReturnType<typeof openHome>;
const all = async () => (await server.client.tests.list({ limit: 200 })).items;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

describe("which test a file belongs to", () => {
  let place: string;
  let name: string;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  const svc = (...args: string[]) => home.svc(["tests", ...args]);
  const stored = async (wanted: string) => (await all()).find((one) => one.name === wanted);
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), "svc-match-"));
    name = freshName("file");
    put("a.md", fileOf(name));
    onTestFinished(() => rmSync(place, { recursive: true }));
  });

  test("a new name in a pushed file renames its test, and a moved file keeps its test", async () => {
    await svc("push", place);
    const before = await stored(name);
    put("a.md", fileOf(`${name} by phone`));
    expect((await svc("push", place)).stdout).toContain("0 tests created, 1 edited");
    expect(await stored(`${name} by phone`)).toMatchObject({ id: before!.id, version: 1 });

    mkdirSync(join(place, "deep"));
    renameSync(join(place, "a.md"), join(place, "deep/b.md"));
    put("deep/b.md", fileOf(`${name} by phone`, "Is brief."));
    expect((await svc("push", place)).stdout).toContain("0 tests created, 1 edited");
    const state = JSON.parse(readFileSync(join(place, ".svc/tests.json"), "utf8"));
    expect(Object.values(state.services)).toEqual([{ "deep/b.md": expect.objectContaining({ id: before!.id }) }]);
  });

  test("a test that was renamed in the service is not renamed back by a push, and a pull brings the name", async () => {
    await svc("push", place);
    const { id, version_id } = (await stored(name))!;
    await server.client.tests.edit({ testId: id, expected_version_id: version_id, name: `${name} there` });
    put("a.md", fileOf(name, "Is brief."));
    expect(await svc("push", place)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/a\.md:2: someone renamed the test/),
    });
    put("a.md", fileOf(name));
    expect((await svc("pull", join(place, "a.md"))).stdout).toMatch(/updated +.*a\.md/);
    expect(readFileSync(join(place, "a.md"), "utf8")).toContain(`name: ${name} there`);
  });

  test("which test a file belongs to without a state file a file belongs to the test of its name, and only --force replaces other content", async () => {
    await svc("push", place, "--no-record");
    expect(readdirSync(place)).toEqual(["a.md"]);
    expect((await svc("push", place)).stdout).toContain("1 unchanged");
    rmSync(join(place, ".svc"), { recursive: true });
    put("a.md", fileOf(name, "Is brief."));
    const refused = await svc("push", place);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/a\.md:2: the service already has a test .* with --force/),
    ]);
    const pulled = await svc("pull", join(place, "a.md"));
    expect([pulled.exitCode, pulled.stderr]).toEqual([1, expect.stringMatching(/nothing says which is newer/)]);
    expect((await svc("validate", place)).stdout).toMatch(
      /A push would refuse:\n.*a\.md:2: the service already has[^]*1 test, all valid/,
    );
    expect((await svc("push", place, "--force")).stdout).toContain("1 edited");

    // The file has the content of an earlier version, and the test in the service is newer.
    rmSync(join(place, ".svc"), { recursive: true });
    put("a.md", fileOf(name));
    expect((await svc("pull", join(place, "a.md"))).stdout).toMatch(/updated +.*a\.md/);
    expect(readFileSync(join(place, "a.md"), "utf8")).toContain("- Is brief.");
  });

  test("a file of the former form keeps its test, loses its ids, and is created by its name where the test is not", async () => {
    const { id, version_id } = await server.client.tests.create(aTest({ name }));
    const former = (ids: string, ending: string) =>
      fileOf(`${name} renamed`).replace("---\n\n", `${ids}# kept\n---\n\n`).replaceAll("\n", ending);
    put("a.md", former(`id: ${id}\nversion_id: ${version_id}\n`, "\r\n"));
    expect((await svc("push", place)).stdout).toContain("1 edited");
    expect(await stored(`${name} renamed`)).toMatchObject({ id });
    expect(readFileSync(join(place, "a.md"), "utf8")).toBe(former("", "\r\n"));

    const gone = unknownId("tst");
    put(
      "b.md",
      fileOf(`${name} elsewhere`).replace("---\n\n", `id: ${gone}\nversion_id: ${unknownId("tstv")}\n---\n\n`),
    );
    expect((await svc("push", place)).stdout).toMatch(
      /Created by its name: its test tst_\w+ is not at this service[^]*1 test created/,
    );
  });

  test("a pull leaves a known file that is no valid test as it is, and says so", async () => {
    await svc("push", place);
    put("a.md", fileOf(name).replace("## Scenario", "## Scene"));
    const { stdout } = await svc("pull", place);
    expect(stdout).toMatch(/invalid +\S+a\.md: see `svc tests validate`/);
    expect(readFileSync(join(place, "a.md"), "utf8")).toContain("## Scene");
  });

  test("a pull keeps the line ends of a file, and what only the file says", async () => {
    put(
      "a.md",
      fileOf(name)
        .replace("---\n\n", "agent: Front desk\niterations: 5\nrequire: 4/5\n---\n\n")
        .replaceAll("\n", "\r\n"),
    );
    await svc("push", place);
    const { id, version_id } = (await stored(name))!;
    await server.client.tests.edit({ testId: id, expected_version_id: version_id, scenario: "Edited there." });
    await server.client.tests.setTags({ testId: id, tags: ["smoke"] });
    await svc("pull", join(place, "a.md"));
    const text = readFileSync(join(place, "a.md"), "utf8");
    expect(text).toMatch(
      /^---\r\nname: .*\r\ntags:\r\n {2}- smoke\r\nagent: Front desk\r\niterations: 5\r\nrequire: 4\/5\r\n---\r\n/,
    );
    expect(text).toContain("\r\nEdited there.\r\n");
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });
});

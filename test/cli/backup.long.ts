import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TraceSummary } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { encodeJson, oneSpan } from "../support/otlp.ts";
import { recordedWav } from "../support/recorded-wav.ts";
import { unreachedSimulation } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { keySettings } from "../support/secret.ts";
import { flip } from "../support/store-folder.ts";
import { aConnection, aTest } from "../support/world.ts";

type Checks = { ok: boolean; checks: { name: string; state: string; finding: string; remedy?: string }[] };

const keys = keySettings();
const home = openHome();
const dataDir = join(home.folder, "data");
const backup = join(home.folder, "backup");
const restored = join(home.folder, "restored");

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ dataDir, settings: keys });
});
afterAll(async () => {
  await server.stop();
  home.remove();
});

let sent = 0;

/** Sends one span of a new trace and returns the trace id. */
async function sendTrace(): Promise<string> {
  const traceId = (++sent).toString(16).padStart(32, "a");
  const response = await fetch(`${server.url}/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.projectKey}`, "content-type": "application/json" },
    body: encodeJson(oneSpan({ traceId })),
  });
  expect(response.status).toBe(200);
  return traceId;
}

/** Sends traces and edits tests until it is stopped. `acknowledged` lists the traces and tests that the service has acknowledged. */
function startLoad(client: Client) {
  const acknowledged = { traces: [] as string[], tests: new Map<string, string>() };
  const stopping = new AbortController();
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      acknowledged.traces.push(await sendTrace());
      const { id, version_id } = await client.tests.create(aTest());
      acknowledged.tests.set(id, version_id);
    }
  }
  const workers = Array.from({ length: 4 }, run);
  return {
    acknowledged,
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(workers);
    },
  };
}

async function tracesOf(client: Client): Promise<TraceSummary[]> {
  const all: TraceSummary[] = [];
  for (let pageToken: string | undefined; ;) {
    const page = await client.traces.list({ pageSize: 200, ...(pageToken && { pageToken }) });
    all.push(...page.traces);
    if (page.nextPageToken === null) return all;
    pageToken = page.nextPageToken;
  }
}

const SOUND = recordedWav(500, [{ fromMs: 0, toMs: 500, level: 0.5 }], []);

async function soundOf(client: Client, simulationId: string): Promise<Buffer> {
  return Buffer.from(await new Response(await client.recordings.audioOfSimulation({ simulationId })).bytes());
}

const digests = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]),
  );

/** Returns the names of the finished recordings of a data folder. */
const recordingsOf = (folder: string) =>
  readdirSync(join(folder, "recordings"), { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );

describe("a backup", () => {
  test("a backup taken while spans and edits arrive holds everything acknowledged before it, and starts as a data folder", async () => {
    const agent = await server.client.agents.register({ name: "Front desk", connection: aConnection() });
    const simulationId = await unreachedSimulation(server.client);
    await server.keepRecording({ projectId: server.project.id, simulationId, bytes: SOUND });
    const load = startLoad(server.client);
    for (let count = 0; count < 60; count++) load.acknowledged.traces.push(await sendTrace());
    const before = { traces: [...load.acknowledged.traces], tests: new Map(load.acknowledged.tests) };
    const { exitCode, stdout, stderr } = await home.svc(["backup", backup, "--data-dir", dataDir]);
    const after = load.acknowledged.traces.length;
    await load.stop();
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("The copy contains the secrets of the service.");
    expect(after).toBeGreaterThan(before.traces.length);
    const open = (readdirSync(backup, { recursive: true }) as string[]).filter(
      (name) => (statSync(join(backup, name)).mode & 0o077) !== 0,
    );
    expect([open, statSync(backup).mode & 0o777]).toEqual([[], 0o700]);

    const answer = await home.json<{ files: number }>(["restore", backup, "--data-dir", restored]);
    expect(answer).toMatchObject({ folder: restored, replaced: null });
    const copy = await startServer({ dataDir: restored, settings: keys });
    try {
      await copy.spansLoaded();
      await copy.conversationsRead();
      const found = new Set((await tracesOf(copy.client)).map(({ traceId }) => traceId));
      expect(before.traces.filter((traceId) => !found.has(traceId))).toEqual([]);
      for (const [testId, versionId] of before.tests) {
        expect((await copy.client.tests.get({ testId })).version_id).toBe(versionId);
      }
      const ids = { agentId: agent.agent.id, connectionId: agent.connection!.id };
      expect(await copy.client.connections.get(ids)).toEqual(await server.client.connections.get(ids));
      expect(await soundOf(copy.client, simulationId)).toEqual(SOUND);
      expect(await copy.admin.organization.reseal()).toEqual({ resealed: 0, current: 1, unreadable: 0 });
    } finally {
      await copy.stop();
    }
  });

  test("a backup is refused into a folder with files, and of a folder without data", async () => {
    const full = await home.svc(["backup", backup, "--data-dir", dataDir]);
    expect([full.exitCode, full.stderr]).toEqual([1, expect.stringContaining("is not empty. Name a new folder")]);
    const none = await home.svc(["backup", join(home.folder, "b"), "--data-dir", join(home.folder, "none")]);
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining("is not a data folder")]);
    expect(existsSync(join(home.folder, "b"))).toBe(false);
  });

  test("a backup with a damaged, missing or additional file is refused by the name of the file", async () => {
    const files = (JSON.parse(readFileSync(join(backup, "backup.json"), "utf8")) as { files: { path: string }[] })
      .files;
    expect(files.length).toBeGreaterThan(4);
    const broken = join(home.folder, "broken");
    const to = join(home.folder, "from-broken");
    const refusal = async () => {
      const { exitCode, stderr } = await home.svc(["restore", broken, "--data-dir", to]);
      expect([exitCode, existsSync(to), existsSync(`${to}.restoring`)]).toEqual([1, false, false]);
      rmSync(broken, { recursive: true });
      return stderr;
    };
    for (const { path } of files) {
      cpSync(backup, broken, { recursive: true });
      flip(join(broken, path), 0.5, 3);
      expect(await refusal()).toContain(`${join(broken, path)} differs from its checksum`);
    }
    cpSync(backup, broken, { recursive: true });
    rmSync(join(broken, "relational.db"));
    expect(await refusal()).toContain("relational.db is missing. Use another backup.");
    cpSync(backup, broken, { recursive: true });
    writeFileSync(join(broken, "journal", "0000000000009999.journal"), "");
    expect(await refusal()).toContain("9999.journal is not in the manifest");
    cpSync(backup, broken, { recursive: true });
    rmSync(join(broken, "backup.json"));
    expect(await refusal()).toContain("is not a complete backup");
  });

  test("a backup never replaces a folder in use, and a folder with files only with --replace, which keeps it aside", async () => {
    const used = await home.svc(["restore", backup, "--data-dir", dataDir, "--replace"]);
    expect([used.exitCode, used.stderr]).toEqual([1, expect.stringContaining("A service runs on")]);
    const full = await home.svc(["restore", backup, "--data-dir", restored]);
    expect([full.exitCode, full.stderr]).toEqual([1, expect.stringContaining("add --replace")]);
    writeFileSync(join(restored, "mark"), "");
    const answer = await home.json<{ replaced: string }>(["restore", backup, "--data-dir", restored, "--replace"]);
    expect(existsSync(join(answer.replaced, "mark"))).toBe(true);
    expect(existsSync(join(restored, "mark"))).toBe(false);
  });

  test("a backup restores the same folder when the service was stopped", async () => {
    const again = join(home.folder, "again");
    const { exitCode } = await home.svc(["backup", again, "--data-dir", restored]);
    expect(exitCode).toBe(0);
    const journalOf = (folder: string) => Object.values(digests(join(folder, "journal")));
    expect(journalOf(again)).toEqual(journalOf(restored));
    const copy = await startServer({ dataDir: again, settings: keys });
    await copy.stop();
  });
});

describe("the doctor of a folder", () => {
  const folder = join(home.folder, "checked");
  const doctor = () => home.json<Checks>(["doctor", "--data-dir", folder]);
  const wrongOf = async () => (await doctor()).checks.filter(({ state }) => state === "wrong");

  beforeAll(async () => {
    cpSync(restored, folder, { recursive: true });
    const copy = await startServer({ dataDir: folder, settings: keys });
    await copy.stop();
  });

  test("the doctor of a folder finds a sound folder well and changes nothing in it", async () => {
    const before = digests(folder);
    const { ok, checks } = await doctor();
    expect(checks.filter(({ state }) => state !== "ok")).toEqual([]);
    const ofFolder = ["settings", "data folder", "disk", "lock", "relational store", "encryption-key", "auth-secret"];
    expect([ok, checks.map(({ name }) => name)]).toEqual([true, [...ofFolder, "recordings", "journal", "trace store"]]);
    expect(digests(folder)).toEqual(before);
  });

  test("the doctor of a folder skips the checks of a folder in use, and names a folder without data", async () => {
    const inUse = await home.json<Checks>(["doctor", "--data-dir", dataDir]);
    expect(inUse.checks.filter(({ state }) => state === "skipped").length).toBe(5);
    const { stdout } = await home.svc(["doctor", "--data-dir", dataDir]);
    expect(stdout).toContain(
      "Nothing is wrong. Not checked: relational store, secrets, recordings, journal, trace store.",
    );
    const none = await home.json<Checks>(["doctor", "--data-dir", join(home.folder, "none")]);
    expect(none.checks.map(({ name, state }) => `${name} ${state}`)).toEqual(["settings ok", "data folder wrong"]);
  });

  test.each([
    ["relational.db", "relational store", "pages differ from what the service wrote"],
    ["relational.checksums", "relational store", "relational.checksums is damaged"],
    ["encryption-key", "encryption-key", "does not open 1 stored credential"],
    ["auth-secret", "auth-secret", "differs from the last start's"],
  ])("the doctor of a folder names damage of %s with its remedy", async (file, name, finding) => {
    const path = join(folder, file);
    const bytes = readFileSync(path);
    flip(path, 0.1, 1);
    const [check, ...others] = await wrongOf();
    expect(others).toEqual([]);
    expect(check).toMatchObject({ name, finding: expect.stringContaining(finding), remedy: expect.any(String) });
    writeFileSync(path, bytes);
    expect(await wrongOf()).toEqual([]);
  });

  test("the doctor of a folder names a recording that is missing, and one with another size", async () => {
    const path = join(folder, "recordings", recordingsOf(folder)[0]!);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(1));
    const mended = { name: "recordings", finding: "1 of 1 files are missing or have another size" };
    expect(await wrongOf()).toMatchObject([mended]);
    rmSync(path);
    expect(await wrongOf()).toMatchObject([mended]);
    writeFileSync(path, bytes);
    expect(await wrongOf()).toEqual([]);
  });

  test("the doctor of a folder names bytes of the journal that hold no readable record, and a secret that others can read", async () => {
    const journal = join(folder, "journal");
    const segment = join(journal, readdirSync(journal)[0]!);
    const bytes = readFileSync(segment);
    flip(segment, 0.5, 2);
    chmodSync(join(folder, "auth-secret"), 0o644);
    const wrong = await wrongOf();
    expect(wrong.map(({ name }) => name)).toEqual(["auth-secret", "journal"]);
    expect(wrong[1]!.finding).toMatch(/^\d+ bytes of .*\.journal hold no readable record$/);
    writeFileSync(segment, bytes);
    chmodSync(join(folder, "auth-secret"), 0o600);
  });

  test("the doctor of a folder takes the start of a record at the end of the journal for a write that a stop cut off", async () => {
    const journal = join(folder, "journal");
    const segment = join(journal, readdirSync(journal)[0]!);
    const bytes = readFileSync(segment);
    for (const tail of [bytes.subarray(0, 3), bytes.subarray(0, 60), Buffer.alloc(60)]) {
      writeFileSync(segment, Buffer.concat([bytes, tail]));
      expect(await wrongOf()).toEqual([]);
    }
    writeFileSync(segment, Buffer.concat([bytes, Buffer.alloc(60, 1)]));
    expect(await wrongOf()).toMatchObject([{ name: "journal" }]);
    writeFileSync(segment, bytes);
  });
});

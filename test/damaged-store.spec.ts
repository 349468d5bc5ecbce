import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileOf } from "./support/code/programs.ts";
import { type ChatAgent, startChatAgent } from "./support/chat-agent.ts";
import { random } from "./support/livekit-request.ts";
import { IS_LONG } from "./support/long-form.ts";
import { chatConnection, settled, startRun, versionsOf } from "./support/runs.ts";
import { startServer } from "./support/server.ts";
import type { OpenService, Serving } from "./support/service-child.ts";
import { copyStore, filledFiles, flip, remove, rowsOfStore } from "./support/store-folder.ts";
import { keySettings } from "./support/secret.ts";
import { aTest } from "./support/world.ts";

const SEED = Number(process.env.SPEC_SEED ?? Date.now() % 1_000_000);
const FLIPS_PER_FILE = IS_LONG ? 40 : 2;
const KILLS = IS_LONG ? 12 : 1;

const next = random(SEED);
const folder = mkdtempSync(join(tmpdir(), "svc-damage-"));
const dataDir = join(folder, "data");
const settings = keySettings();

let agent: ChatAgent;
beforeAll(async () => {
  agent = await startChatAgent(async ({ event, message }) => (event === "start" ? {} : { message: `Yes: ${message}` }));
});
afterAll(() => {
  agent.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the folder in a process, changes records of every kind, and kills the process. */
async function workAndKill(tests: number): Promise<void> {
  const child = fork(fileOf("service-child"), {
    execArgv: ["--conditions=svc-source"],
  });
  child.send({ dataDir, settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(child, "message")) as [Serving];
  const client = createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
  for (let number = 0; number < tests; number++) await client.tests.create(aTest({ name: `Test ${number} ${next()}` }));
  const testVersions = await versionsOf(client, [
    { scenario: "Caller says:\n- Hello.\n- Goodbye.", behaviors: ['says "yes"', 'never says "no"'] },
  ]);
  const run = await startRun(client, { ...(await chatConnection(client, agent.url)), testVersions, iterations: 4 });
  await settled(client, run.id, 60_000);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** Flips one bit in each of several copies of the folder and opens them. Returns the flips that changed rows without a refusal. */
async function silentFlips(flipsPerFile: number): Promise<{ silent: string[]; refused: number; unchanged: number }> {
  const expected = await rowsOf(dataDir);
  const silent: string[] = [];
  let [refused, unchanged] = [0, 0];
  for (const name of filledFiles(dataDir)) {
    for (let count = 0; count < flipsPerFile; count++) {
      const copy = copyStore(dataDir);
      const place = count % 4 === 0 ? (next() * 200) / statSync(join(copy, name)).size : next();
      const bit = Math.floor(next() * 8);
      flip(join(copy, name), Math.min(place, 0.999999), bit);
      const rows = await rowsOfStore(copy).then(JSON.stringify, (error: Error) => error);
      if (rows instanceof Error && /is damaged: .* `svc restore BACKUP --replace`/.test(rows.message)) refused++;
      else if (rows === expected) unchanged++;
      else silent.push(`${name} at ${place}, bit ${bit}: ${rows instanceof Error ? rows.message : "other rows"}`);
      remove(copy);
    }
  }
  return { silent, refused, unchanged };
}

/** Returns the rows of a copy as text. */
async function rowsOf(store: string): Promise<string> {
  const copy = copyStore(store);
  try {
    return JSON.stringify(await rowsOfStore(copy));
  } finally {
    remove(copy);
  }
}

describe(`with the seed ${SEED}`, () => {
  test("after a kill, each flipped bit in the store's files is refused at the start or changes no row", async () => {
    await workAndKill(30);
    await workAndKill(10);
    const { silent, refused } = await silentFlips(FLIPS_PER_FILE);
    expect(silent).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });

  test("after a clean stop, each flipped bit in the store's files is refused at the start or changes no row", async () => {
    const server = await startServer({ dataDir, settings });
    await server.stop();
    const { silent, refused } = await silentFlips(FLIPS_PER_FILE);
    expect(silent).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });
});

describe("a store without damage is never refused", () => {
  /** Writes rows in a process, and kills the process after `lives` acknowledged rows. Returns the number of the last row. */
  async function writeAndKill(store: string, lives: number, atLeast = 0): Promise<number> {
    const child = fork(join(import.meta.dirname, "support/store-child.ts"), [store], {
      execArgv: ["--conditions=svc-source"],
    });
    const gone = once(child, "exit");
    let [heard, last] = [0, 0];
    const written = new Promise<void>((resolve, reject) => {
      void gone.then(() => reject(new Error("the store was refused")));
      child.on("message", (number: number) => {
        if (heard === 0) expect(number).toBeGreaterThanOrEqual(atLeast);
        last = number;
        if (++heard === lives) resolve();
      });
    });
    await written;
    child.kill("SIGKILL");
    await gone;
    return last;
  }

  test("a store without damage is never refused after kills at any moment, with checkpoints and unfinished transactions", async () => {
    const store = mkdtempSync(join(folder, "kills-"));
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      acknowledged = await writeAndKill(store, 1 + Math.floor(next() * 150), acknowledged);
    }
    const { rows } = await rowsOfStore(store);
    expect((rows!.at(-1) as { number: number }).number).toBeGreaterThanOrEqual(acknowledged);
    remove(store);
  });

  test("a store without damage is never refused after the loss of everything that was not synced", async () => {
    const killed = mkdtempSync(join(folder, "unsynced-"));
    await writeAndKill(killed, 45);
    const whole = readFileSync(join(killed, "relational.checksums"));
    const synced = whole.indexOf("SVE1");
    const rows = await rowsOf(killed);
    for (let cut = 0; cut < (IS_LONG ? 20 : 5); cut++) {
      const copy = copyStore(killed);
      truncateSync(join(copy, "relational.checksums"), Math.floor(synced + next() * (whole.length - synced)));
      expect(await rowsOf(copy)).toBe(rows);
      remove(copy);
    }
  });

  test("a folder without checksums is accepted when it is well-formed", async () => {
    const copy = copyStore(dataDir);
    const expected = await rowsOfStore(copy);
    rmSync(join(copy, "relational.checksums"));
    expect(await rowsOfStore(copy)).toEqual(expected);
    rmSync(join(copy, "relational.checksums"));
    const database = join(copy, "relational.db");
    const bytes = readFileSync(database);
    bytes.fill(0xa5, 8 * 4096, 60 * 4096);
    writeFileSync(database, bytes);
    await expect(rowsOfStore(copy)).rejects.toThrow(/relational\.db is damaged: .*Restore a backup/);
    remove(copy);
  });

  test("a store without damage is never refused after another program moved the log into the database", async () => {
    await workAndKill(5);
    const copy = copyStore(dataDir);
    const rows = await rowsOf(copy);
    const other = new Database(join(copy, "relational.db"));
    other.prepare("SELECT count(*) FROM tests").get();
    other.close();
    expect(await rowsOf(copy)).toBe(rows);
    remove(copy);
  });
});

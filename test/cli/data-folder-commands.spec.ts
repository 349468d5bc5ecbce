import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileOf } from "../support/code/programs.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { freePort } from "../support/program.ts";
import { until } from "../support/until.ts";

const casesOf = drawsOfCases();
const PROGRAM = fileOf("svc");

describe("the commands of a data folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-commands-"));
  const dataDir = join(folder, "data");
  let env: Record<string, string>;
  let url: string;
  let service: ChildProcess;

  async function run(...words: string[]) {
    const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
    const closed = once(child, "close") as Promise<[number]>;
    const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { exitCode, stdout, stderr };
  }

  beforeAll(async () => {
    const port = String(await freePort());
    env = { HOME: folder, PORT: port, SVC_WEB_PORT: port, SVC_DATA_DIR: dataDir, LOG_LEVEL: "silent" };
    url = `http://127.0.0.1:${port}`;
    service = spawn(process.execPath, [PROGRAM, "serve"], { env, stdio: "ignore" });
    await until("the service answers", async () => (await fetch(`${url}/health`)).status === 200);
  });
  afterAll(() => {
    service.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  test("`serve` on a folder in use ends with one sentence", async () => {
    const { exitCode, stderr } = await run("serve");
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^Another server is running on .*\n$/)]);
  });

  test("`backup` copies the folder of the running service, and `restore` makes a folder of the copy", async () => {
    const copy = join(folder, "copy");
    expect(await run("backup", copy)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Copied \d+ files/),
    });
    const refused = await run("restore", copy);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/A service runs on .*\n$/) });
    const restored = join(folder, "restored");
    expect(await run("restore", copy, "--data-dir", restored)).toMatchObject({ exitCode: 0 });
    expect(readdirSync(restored)).toContain("relational.db");
    const { exitCode, stdout } = await run("doctor", "--data-dir", restored);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^ok {7}relational store: /m)]);
  });

  test.each(casesOf(["databases", "folder"], 1))(
    "`migrate --to %s` without databases is refused with the settings to set",
    async (to) => {
      const { exitCode, stderr } = await run("migrate", "--to", to);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Set SVC_DATABASE_URL and SVC_CLICKHOUSE_URL /)]);
    },
  );

  test("the service ends in order on SIGTERM", async () => {
    const ended = once(service, "exit");
    service.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});

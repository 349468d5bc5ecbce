import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { EVENT_MEANINGS, ProjectEvent } from "@svc/contract";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERIFYING } from "../../packages/web/src/notifications/destination-words.ts";
import { blocksOf } from "../support/documents.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const PAGE = "docs/notifications.md";
const PYTHON = process.env.SVC_TEST_PYTHON ?? "python3";
const hasLibrary = spawnSync(PYTHON, ["-c", "import standardwebhooks"]).status === 0;

const blocks = blocksOf(PAGE);

test("the page has one example of each type of event, as the contract describes it", () => {
  const events = blocks.filter(({ language }) => language === "json").map(({ text }) => JSON.parse(text) as unknown);
  expect(events.map((event) => ProjectEvent.parse(event).type).toSorted()).toEqual(
    Object.keys(EVENT_MEANINGS).toSorted(),
  );
});

const WITHOUT_LIBRARY = "SVC_TEST_PYTHON names no Python with the package standardwebhooks";

describe.each([
  ["Node", "ts", true],
  ["Python", "python", hasLibrary],
] as const)("the receiver in %s", (_, language, canRun) => {
  let server: TestServer;
  const programs: ChildProcess[] = [];
  beforeAll(async () => {
    server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" } });
  });
  afterAll(async () => {
    for (const program of programs) program.kill("SIGKILL");
    await server.stop();
  });

  /** Starts the program of the page, and returns its address and its output. */
  async function startProgram(port: number, secret: string) {
    const text = blocks.find((block) => block.language === language)!.text.replace("8080", String(port));
    const file = join(import.meta.dirname, `.receiver-${process.pid}-${port}.ts`);
    writeFileSync(file, language === "ts" ? text : "");
    const [program, args] = language === "ts" ? [process.execPath, [file]] : [PYTHON, ["-c", text]];
    const env = { PATH: process.env.PATH ?? "", SVC_WEBHOOK_SECRET: secret };
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    programs.push(child);
    let printed = "";
    child.stdout!.on("data", (part) => (printed += String(part)));
    await until("the program listens", async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" }).catch(() => undefined);
      return answer?.status === 401;
    });
    rmSync(file);
    return () => printed;
  }

  test("accepts events of the service and nothing else", async (context) => {
    if (!canRun) context.skip(WITHOUT_LIBRARY);
    const [good, bad] = [await freePort(), await freePort()];
    const create = (port: number) =>
      server.client.destinations.create({
        name: freshName("hook"),
        kind: "webhook",
        url: `http://127.0.0.1:${port}/`,
        eventTypes: ["run.completed"],
      });
    const { destination, secret } = await create(good);
    const printed = await startProgram(good, secret!);
    const test = (destinationId: string) => server.client.destinations.test({ destinationId });
    expect(await test(destination.id)).toMatchObject({ delivered: true, status: 204 });
    await until("it prints the event", () => /^destination\.test http\S+\/notifications$/m.test(printed()));
    const other = await create(bad);
    await startProgram(bad, secret!);
    expect(await test(other.destination.id)).toMatchObject({ delivered: false, status: 401 });
  });

  test("the document has the same code as the page with the new secret, and the code verifies an event", async (context) => {
    if (!canRun) context.skip(WITHOUT_LIBRARY);
    const secret = `whsec_${btoa("x".repeat(32))}`;
    const rawBody = JSON.stringify({ type: "run.completed", link: "https://svc.test/p" });
    const now = new Date();
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", now, rawBody),
    };
    const env = { SVC_WEBHOOK_SECRET: secret, RAW_BODY: rawBody, HEADERS: JSON.stringify(headers) };
    const [program, flag, before, lines] =
      language === "ts"
        ? [
            process.execPath,
            "--input-type=module",
            "const rawBody = process.env.RAW_BODY, request = { headers: JSON.parse(process.env.HEADERS) };\n",
            VERIFYING.node,
          ]
        : [
            PYTHON,
            "-I",
            "import json, os, types\nraw_body = os.environ['RAW_BODY']\nrequest = types.SimpleNamespace(headers=json.loads(os.environ['HEADERS']))\n",
            VERIFYING.python,
          ];
    const code = language === "ts" ? "-e" : "-c";
    const { stdout } = await promisify(execFile)(program, [flag, code, before + lines], { env });
    expect(stdout).toBe("run.completed https://svc.test/p\n");
  });
});

/** Returns a port that no program uses at the moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

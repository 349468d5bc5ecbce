import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient } from "@svc/sdk";
import { afterAll, expect, test } from "vitest";
import { requestOf, traceIdOf } from "../support/ingest.ts";
import { random } from "../support/livekit-request.ts";
import { encodeProtobuf } from "../support/otlp.ts";
import { conversation } from "../support/production.ts";
import { keySettings } from "../support/secret.ts";
import type { OpenService, Serving } from "../support/service-child.ts";
import { filesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";

const KILLS = 20;
const LIFE_MS_MAX = 60;
const CHILD = join(import.meta.dirname, "../support/service-child.ts");

const next = random(Date.now());
const folder = mkdtempSync(join(tmpdir(), "svc-deletion-kill-"));
const dataDir = join(folder, "data");
const settings = keySettings();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const loadedChild = (): ChildProcess =>
  fork(CHILD, {
    execArgv: ["--conditions=svc-source"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
  });

async function serving(child: ChildProcess): Promise<Client> {
  child.send({ dataDir, settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(child, "message")) as [Serving];
  return createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
}

const wordOf = (trace: number) => `kanari${String(trace).padStart(4, "0")}x7f3a`;

/** Returns the conversation as JSON; null when the project does not have it. */
async function answerOf(client: Client, trace: number): Promise<string | null> {
  try {
    const { state, turns, measures, spans } = await client.traces.get({ traceId: traceIdOf(trace) });
    return JSON.stringify({ state, turns, measures, spans });
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null;
    throw error;
  }
}

const send = (client: Client, ...traces: number[]) =>
  client.traces.ingest({
    body: encodeProtobuf(requestOf(traces.flatMap((trace) => conversation(trace, `I say ${wordOf(trace)}`)))),
    contentType: "application/x-protobuf",
  });

test(
  "a kill during a deletion leaves the conversation whole or erases it, and never changes another one",
  { timeout: 900_000 },
  async () => {
    let child = loadedChild();
    let client = await serving(child);
    const answers = new Map<number, string>();
    const erased: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      // Each body contains one conversation to delete and one to keep.
      const [deleted, kept] = [2 * kill, 2 * kill + 1];
      await send(client, kept, deleted);
      for (const trace of [deleted, kept]) {
        const answer = await until(`${trace} is read`, async () => {
          const text = await answerOf(client, trace);
          return text?.includes(`"state":"final"`) && text;
        });
        answers.set(trace, answer);
      }
      const standby = loadedChild();
      const answered = client.traces.delete({ traceId: traceIdOf(deleted) }).then(
        () => true,
        () => false,
      );
      await (kill === KILLS ? answered : delay(next() * LIFE_MS_MAX));
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      const wasAnswered = await answered;
      child = standby;
      client = await serving(child);
      const after = await answerOf(client, deleted);
      if (after === null) erased.push(deleted);
      else expect([wasAnswered, after]).toEqual([false, answers.get(deleted)!]);
      for (const trace of erased) expect(await answerOf(client, trace)).toBeNull();
      await send(client, ...erased.slice(-1));
    }
    for (let kill = 1; kill <= KILLS; kill++) {
      const kept = 2 * kill + 1;
      expect(await answerOf(client, kept)).toBe(answers.get(kept));
    }
    await until("no file contains a deleted conversation", () => {
      const files = erased.map((trace) => filesWith(dataDir, wordOf(trace)));
      return (
        files.every((found) => Object.keys(found).length === 0) || Promise.reject(new Error(JSON.stringify(files)))
      );
    });
    for (const trace of erased) expect(await answerOf(client, trace)).toBeNull();
    expect(erased.length).toBeGreaterThan(0);
    child.kill("SIGKILL");
  },
);

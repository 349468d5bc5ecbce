import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@svc/sdk";
import { afterAll, afterEach, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { fakeEndpoint, refuses } from "../support/language-model/fake-endpoint.ts";
import { attribute, encodeProtobuf, type OtlpSpan } from "../support/otlp.ts";
import { conversation, sendSpans } from "../support/production.ts";
import { chatConnection, played, startRun } from "../support/runs.ts";
import { keySettings } from "../support/secret.ts";
import { startServer } from "../support/server.ts";
import { filesWith } from "../support/stored-bytes.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";

const keys = keySettings();
const home = openHome();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => home.remove());

async function open(folder: string, settings: Record<string, string> = {}) {
  const server = await startServer({ dataDir: join(home.folder, folder), settings: { ...keys, ...settings } });
  stops.push(server.stop);
  await server.conversationsRead();
  return server;
}

const ingest = (client: Client, spans: OtlpSpan[]) =>
  client.traces.ingest({ body: encodeProtobuf(requestOf(spans)), contentType: "application/x-protobuf" });

/** Returns the parts of the conversation that a client can read, as text; null when the project does not have the conversation. */
const answerOf = (client: Client, trace: number): Promise<string | null> =>
  client.traces.get({ traceId: traceIdOf(trace) }).then(
    ({ state, turns, measures, spans }) => JSON.stringify({ state, turns, measures, spans }),
    (error: { status: number }) => (error.status === 404 ? null : Promise.reject(error)),
  );

test("a deletion of an unfinished simulation's conversation is refused with the way out, and succeeds after its verdict", async () => {
  const gate = Promise.withResolvers<void>();
  const judge = await fakeEndpoint((...asked) => void gate.promise.then(() => refuses(400)(...asked)));
  const { baseUrl, apiKey, model } = judge.settings;
  const llm = { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model };
  const server = await open("unfinished", llm);
  const agent = await startChatAgent(({ event }) => ({ message: "Good morning.", ended: event === "message" }));
  const target = await chatConnection(server.client, agent.url);
  const scenario = { scenario: "Says: Good morning.", expected_behaviors: ["The agent is polite."] };
  const { version_id } = await server.client.tests.create(aTest(scenario));
  const { id: runId } = await startRun(server.client, { ...target, testVersions: [version_id], caller: "scripted" });
  await until("the judge is asked", () => judge.asked.length > 0);
  const traceId = await until("the conversation is listed", async () => {
    await server.spansLoaded();
    return (await server.client.traces.list({ runId })).traces[0]?.traceId;
  });

  const refusal = {
    status: 409,
    code: "conflict",
    message:
      "The simulation of this conversation is not finished. Cancel its run or wait for its verdict, then delete the conversation.",
  };
  await expect(server.client.traces.delete({ traceId })).rejects.toMatchObject(refusal);
  expect((await server.client.traces.get({ traceId })).turns.length).toBeGreaterThan(0);

  gate.resolve();
  await played(server, runId);
  await server.client.traces.delete({ traceId });
  await expect(server.client.traces.get({ traceId })).rejects.toMatchObject({ status: 404 });
  agent.stop();
  judge.stop();
});

test("a restored backup has a conversation that was deleted after the backup, and it can be deleted again", async () => {
  const server = await open("before");
  const word = "kanari51fe9";
  await sendSpans(server, server.client, [...conversation(1, word), ...conversation(2, "stays")]);
  const before = await Promise.all([answerOf(server.client, 1), answerOf(server.client, 2)]);
  const backup = join(home.folder, "copy");
  expect(await home.svc(["backup", backup, "--data-dir", server.dataDir])).toMatchObject({ exitCode: 0 });
  await server.client.traces.delete({ traceId: traceIdOf(1) });
  expect(await answerOf(server.client, 1)).toBeNull();
  await server.stop();
  const restored = join(home.folder, "restored");
  expect(await home.svc(["restore", backup, "--data-dir", restored])).toMatchObject({ exitCode: 0 });
  const copy = await open("restored");
  expect(await Promise.all([answerOf(copy.client, 1), answerOf(copy.client, 2)])).toEqual(before);
  expect(await copy.admin.conditions.list()).toEqual({ conditions: [] });
  await copy.client.traces.delete({ traceId: traceIdOf(1) });
  expect([await answerOf(copy.client, 1), await answerOf(copy.client, 2)]).toEqual([null, before[1]]);
  await until("no file contains the conversation", () => Object.keys(filesWith(restored, word)).length === 0);
});

test("a backup taken around deletions has each deleted conversation whole or not at all, and every other one whole", async () => {
  const server = await open("around");
  const [deleted, kept] = [
    [1, 3, 5, 7, 9, 11],
    [2, 4, 6, 8, 10, 12],
  ] as const;
  for (const trace of deleted) {
    await ingest(server.client, [
      ...conversation(trace, `word${trace}`),
      ...conversation(trace + 1, `word${trace + 1}`),
    ]);
  }
  await server.conversationsRead();
  const before = new Map<number, string | null>();
  for (const trace of [...deleted, ...kept]) before.set(trace, await answerOf(server.client, trace));
  const backup = join(home.folder, "copy-around");
  await server.client.traces.delete({ traceId: traceIdOf(deleted[0]) });
  const taken = home.svc(["backup", backup, "--data-dir", server.dataDir]);
  const end = new AbortController();
  void taken.then(() => end.abort());
  for (const trace of deleted.slice(1)) {
    await server.client.traces.delete({ traceId: traceIdOf(trace) });
    // These requests spread the deletions over the time of the backup.
    for (let count = 0; count < 20 && !end.signal.aborted; count++) await server.client.traces.list();
  }
  expect(await taken).toMatchObject({ exitCode: 0 });
  await server.stop();
  const restored = join(home.folder, "restored-around");
  expect(await home.svc(["restore", backup, "--data-dir", restored])).toMatchObject({ exitCode: 0 });
  const copy = await open("restored-around");
  expect(await answerOf(copy.client, deleted[0])).toBeNull();
  for (const trace of deleted.slice(1)) {
    expect([null, before.get(trace)]).toContain(await answerOf(copy.client, trace));
  }
  for (const trace of kept) expect(await answerOf(copy.client, trace)).toBe(before.get(trace));
  rmSync(restored, { recursive: true, force: true });
});

test("a conversation that is deleted while its spans arrive and readers read it is gone afterwards, from every file", async () => {
  const server = await open("busy");
  const { client } = server;
  const word = "kanari77ac2";
  const job = attribute("lk.job_id", "job-1");
  const late = (number: number) =>
    spanOf(1, number, { name: "user_turn", attributes: [job, attribute("lk.user_transcript", `${word} ${number}`)] });
  await sendSpans(server, client, [...conversation(1, word), ...conversation(2, "stays")]);
  const kept = await answerOf(client, 2);
  const end = new AbortController();
  let [sent, read] = [10, 0];
  const send = async () => {
    while (!end.signal.aborted) await ingest(client, [late(sent++), late(sent++), spanOf(3, sent++)]);
  };
  const look = async () => {
    while (!end.signal.aborted) {
      await answerOf(client, 1);
      await client.traces.list({ search: word });
      read++;
    }
  };
  const workers = [send(), send(), look(), look()];
  await until("spans arrive and readers read", () => sent > 40 && read > 4);
  await client.traces.delete({ traceId: traceIdOf(1) });
  const sentAtDeletion = sent;
  expect(await answerOf(client, 1)).toBeNull();
  expect((await client.traces.list({ search: word })).traces).toEqual([]);
  await until("more spans arrive", () => sent > sentAtDeletion + 40);
  end.abort();
  await Promise.all(workers);
  await server.conversationsRead();
  expect(await answerOf(client, 1)).toBeNull();
  expect((await client.traces.list({ search: word })).traces).toEqual([]);
  expect(await answerOf(client, 2)).toBe(kept);
  expect((await client.traces.get({ traceId: traceIdOf(3) })).spans.length).toBeGreaterThan(20);
  await until("no file contains the conversation", () => {
    const files = filesWith(server.dataDir, word);
    return Object.keys(files).length === 0 || Promise.reject(new Error(JSON.stringify(files)));
  });
});

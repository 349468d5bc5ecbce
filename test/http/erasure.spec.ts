import { gzipSync } from "node:zlib";
import { type Client, SvcError } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChatAgent } from "../support/chat-agent.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, encodeJson, encodeProtobuf, type OtlpRequest, type OtlpSpan } from "../support/otlp.ts";
import { conversation, graded } from "../support/production.ts";
import { chatConnection, played, startRun } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { placesWith } from "../support/stored-bytes.ts";
import { removeTraceTables } from "../support/trace-files.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";
import { keySettings } from "../support/secret.ts";

const PROTOBUF = "application/x-protobuf";

/** Returns spans of a conversation that have the canary, a unique text, in each text that a sender controls. */
function canarySpans(trace: number, canary: string, job = `job-${canary}`): OtlpSpan[] {
  const texts = [attribute("lk.job_id", job), attribute("lk.user_transcript", `I said ${canary} twice, ${canary}`)];
  const event = { name: `event ${canary}`, attributes: [attribute("exception.message", canary)] };
  return [
    spanOf(trace, 0, { name: "job_entrypoint", attributes: [attribute("lk.job_id", job)] }),
    spanOf(trace, 1, { name: "user_turn", attributes: texts, events: [event] }),
    spanOf(trace, 2, { name: "agent_turn", attributes: [texts[0]!, attribute("lk.response.text", `Yes ${canary}`)] }),
    spanOf(trace, 3, { name: `span ${canary}`, status: { code: 2, message: canary }, attributes: texts }),
  ];
}

const sendRequest = (client: Client, request: OtlpRequest) =>
  client.traces.ingest({ body: encodeProtobuf(request), contentType: PROTOBUF });

async function sendGzip(server: TestServer, request: OtlpRequest, encoding: "json" | "protobuf"): Promise<number> {
  const body = encoding === "json" ? Buffer.from(encodeJson(request)) : encodeProtobuf(request);
  const headers = {
    authorization: `Bearer ${server.projectKey}`,
    "content-type": encoding === "json" ? "application/json" : PROTOBUF,
    "content-encoding": "gzip",
  };
  return (await fetch(`${server.url}/v1/traces`, { method: "POST", headers, body: gzipSync(body) })).status;
}

const isMissing = (client: Client, traceId: string) =>
  client.traces.get({ traceId }).then(
    () => false,
    (error: { status: number }) => error.status === 404,
  );

const bytesAreGone = (server: TestServer, canary: string) =>
  until(`no store contains ${canary}`, async () => {
    const places = await placesWith(server.dataDir, canary);
    if (Object.keys(places).length > 0) throw new Error(JSON.stringify(places));
    return true;
  });

describe("a deleted conversation", () => {
  let server: TestServer;
  const canary = "kanari7f3a9c51";
  const kept = "behalten42b8e0d6";
  const other = { current: undefined as unknown as Client };
  let before: string;

  const keptAnswers = async () => {
    const { traces } = await server.client.traces.list({ search: kept });
    const answers = await Promise.all(traces.map(({ traceId }) => server.client.traces.get({ traceId })));
    return JSON.stringify(answers);
  };

  beforeAll(async () => {
    server = await startServer({ productionPace: { everyMs: 50 } });
    const { client, admin, project } = server;
    const { project: second } = await admin.projects.create({ name: "Second" });
    other.current = server.clientOf((await admin.keys.create({ project_id: second.id })).secret);
    await client.graders.create({
      name: "polite",
      definition: { kind: "check", check: 'never says "Yes"' },
      scope: "production",
      productionSampleRate: 1,
      projectId: project.id,
    });
    const mine = canarySpans(1, canary);
    // One body has spans of both conversations, in each encoding. A second trace has the same name, and a body is sent again with
    // its spans reordered.
    await sendRequest(client, requestOf([...canarySpans(2, kept), ...mine.slice(0, 2)]));
    await sendGzip(server, requestOf([...mine.slice(1), ...conversation(3, kept)]), "json");
    await sendGzip(server, requestOf([...canarySpans(5, canary), ...canarySpans(6, kept, "third")]), "protobuf");
    await sendRequest(client, requestOf(mine.toReversed()));
    await sendRequest(other.current, requestOf(canarySpans(1, `other-${kept}`)));
    await server.conversationsRead();
    const [grade] = await graded(client, 1);
    await client.grades.label({ gradeId: grade!.id!, verdict: "failed", note: `a note on ${canary}` });
    before = await keptAnswers();
  });
  afterAll(() => server.stop());

  test("a deleted conversation is in several places before its deletion", async () => {
    expect(Object.keys(await placesWith(server.dataDir, canary)).length).toBeGreaterThan(1);
  });

  test("a deleted conversation is gone for readers at once, by each of its traces, and its bytes leave every store", async () => {
    const { client } = server;
    await client.traces.delete({ traceId: traceIdOf(5) });
    for (const trace of [1, 5]) expect(await isMissing(client, traceIdOf(trace))).toBe(true);
    expect((await client.traces.list({ search: canary })).traces).toEqual([]);
    expect((await client.traces.list()).traces.map(({ traceId }) => traceId)).not.toContain(traceIdOf(1));
    await bytesAreGone(server, canary);
  });

  test("a deleted conversation leaves other conversations of the same bodies, and the same trace id in another project, as they were", async () => {
    expect(JSON.parse(before)).toHaveLength(3);
    expect(await keptAnswers()).toBe(before);
    expect(await isMissing(other.current, traceIdOf(1))).toBe(false);
  });

  test("a deleted conversation is refused like a conversation that never existed when it is deleted again", async () => {
    const { client } = server;
    const answer = async (traceId: string) => {
      const error: unknown = await client.traces.delete({ traceId }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SvcError);
      const { code, status, message, details } = error as SvcError;
      return { code, status, message, details };
    };
    expect(await answer(traceIdOf(1))).toEqual(await answer(traceIdOf(999)));
  });

  test("a deleted conversation stays deleted when its spans come again: they are acknowledged, dropped and counted", async () => {
    const { client, admin } = server;
    const late = canarySpans(1, canary);
    for (const spans of [late, [...canarySpans(7, canary), ...conversation(8, kept)], [spanOf(7, 9, { name: canary })]])
      expect(await sendRequest(client, requestOf(spans))).toEqual({});
    await server.conversationsRead();
    for (const trace of [1, 7]) expect(await isMissing(client, traceIdOf(trace))).toBe(true);
    expect(await isMissing(client, traceIdOf(8))).toBe(false);
    await bytesAreGone(server, canary);
    const { conditions } = await admin.conditions.list();
    const dropped = conditions.find(({ code }) => code === "spans_of_deleted_conversations");
    expect(dropped).toMatchObject({ count: 9, projectId: server.project.id, degrades: false, needsAction: false });
  });

  test("a deleted conversation stays deleted after a restart that reads the whole journal again", async () => {
    const { dataDir } = server;
    const settings = keySettings(server);
    const others = await keptAnswers();
    await server.close();
    removeTraceTables(dataDir);
    const remove = server.remove;
    server = { ...(await startServer({ dataDir, settings })), remove };
    await server.conversationsRead();
    for (const trace of [1, 5, 7]) expect(await isMissing(server.client, traceIdOf(trace))).toBe(true);
    expect(JSON.parse(await keptAnswers())).toHaveLength(JSON.parse(others).length);
    expect(await sendRequest(server.client, requestOf(canarySpans(1, canary)))).toEqual({});
    await server.conversationsRead();
    expect(await isMissing(server.client, traceIdOf(1))).toBe(true);
    await bytesAreGone(server, canary);
  });
});

test("the simulation of a deleted conversation keeps its verdicts and loses its texts", async () => {
  const canary = "simkanari9e2d77";
  const server = await startServer();
  const gate = Promise.withResolvers<void>();
  const agent = await startChatAgent(async ({ event }) => {
    if (event === "message") await gate.promise;
    return { message: `Here is ${canary}.`, ended: event === "message" };
  });
  const target = await chatConnection(server.client, agent.url);
  const scenario = { scenario: "Says: Good morning.", expected_behaviors: [`says "${canary}"`] };
  const { version_id } = await server.client.tests.create(aTest(scenario));
  const { id: runId } = await startRun(server.client, { ...target, testVersions: [version_id] });
  gate.resolve();
  const { simulations } = await played(server, runId);
  const [{ id: simulationId, traceId, grades, verdict }] = simulations as [(typeof simulations)[number]];
  await server.client.grades.label({ gradeId: grades[0]!.id!, verdict: "passed", note: `a note on ${canary}` });
  await server.conversationsRead();

  await server.client.traces.delete({ traceId: traceId! });
  const { simulation } = await server.client.simulations.get({ simulationId });
  expect(simulation).toMatchObject({ verdict, turns: [], toolCalls: [], turnCount: simulations[0]!.turnCount });
  expect(simulation.grades.map(({ verdict: given }) => given)).toEqual(grades.map(({ verdict: given }) => given));
  expect(simulation.grades.flatMap(({ evidence }) => evidence)).toEqual([]);
  expect(simulation.grades[0]!.labels).toMatchObject([{ verdict: "passed", note: null }]);
  await expect(server.client.simulations.regrade({ simulationId })).rejects.toMatchObject({ code: "conflict" });
  const { events } = await server.client.runs.events({ runId });
  expect(JSON.stringify(events)).not.toContain(canary);
  // The test's expected behavior also contains the words, because its author wrote them there.
  await until("only the author's texts remain", async () => {
    const places = Object.keys(await placesWith(server.dataDir, `Here is ${canary}`));
    return places.length === 0 || Promise.reject(new Error(places.join()));
  });
  agent.stop();
  await server.stop();
});

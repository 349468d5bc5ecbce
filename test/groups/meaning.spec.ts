import type { FailureGroup } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { groupText } from "../../packages/cli/src/groups/group-text.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type AnswerForVectors, startEmbeddings, vectorsAnswer } from "../support/embeddings.ts";
import { openStoreOf } from "../support/engine.ts";
import { traceIdOf } from "../support/ingest.ts";
import { answeredCall, graded, sendSpans } from "../support/production.ts";
import { keySettings } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

const MONEY = ["I guarantee your money comes back.", "We guarantee a full refund, Maria, of $42.50."];
const ROOMS = ["I guarantee that room 12 is free.", "You have our guarantee: suites stand empty."];
/** The agent's words of both meanings, which no word but the forbidden one connects. */
const SAID = [...MONEY, ...ROOMS];

/** Returns vectors with which money and refunds mean the same, as do rooms and suites. */
const vectorOf = (text: string): number[] => {
  if (/money/.test(text)) return [3, 0.1, 0];
  if (/refund/.test(text)) return [3, 0.2, 0.1];
  return /room/.test(text) ? [0, 1, 0.1] : /suites/.test(text) ? [0, 1, 0.2] : [0.1, 0, 2];
};

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const PACE = { everyMs: 20, leaseMs: 5_000, pauseMs: 20, pauseMsMax: 50, timeoutMs: 400 };
const OPTIONS = { productionPace: { everyMs: 50 }, groups: { pace: { everyMs: 20 }, embeddingPace: PACE } };

async function openEndpoint() {
  const endpoint = await startEmbeddings(vectorOf);
  stops.push(endpoint.stop);
  return endpoint;
}

async function openServer(settings: Record<string, string>, dataDir?: string): Promise<TestServer> {
  const server = await startServer({
    settings,
    ...(dataDir !== undefined && { dataDir }),
    ...OPTIONS,
  });
  stops.push(() => server.stop());
  return server;
}

async function newGrader({ client }: Pick<TestServer, "client">): Promise<void> {
  const definition = { kind: "check", check: 'never says "guarantee"' } as const;
  await client.graders.create({ name: "No guarantee", definition, scope: "production" });
}

/** Sends calls in which the agent says these words, numbered from `from`, and waits until they are graded. */
async function sendCalls(
  server: TestServer,
  said: readonly string[],
  { from = 1, agent = "Hotel" } = {},
): Promise<void> {
  const calls = said.map((words, at) => {
    const startMs = Date.now() - 3_600_000 + (from + at) * 1_000;
    return answeredCall(from + at, { agent, startMs, latencyMs: 100, said: words });
  });
  await sendSpans(server, server.client, calls.flat());
  for (const at of said.keys()) await graded(server.client, from + at);
}

const groupsOf = async (client: Client) => (await client.groups.list({ sort: "size", pageSize: 100 })).groups;

/** Waits until the project's groups have these sizes, and returns the groups, the largest first. */
const grouped = ({ client }: Pick<TestServer, "client">, ...sizes: number[]): Promise<FailureGroup[]> =>
  until(`groups of ${sizes.join(" and ")}`, async () => {
    const groups = await groupsOf(client);
    return groups.map(({ size }) => size).join() === sizes.join() && groups;
  });

/** Returns the rows of the two tables of vectors. */
async function storedIn({ dataDir }: TestServer) {
  const store = await openStoreOf(dataDir);
  const vectors = await store.db.selectFrom("wording_vectors").selectAll().execute();
  const things = await store.db.selectFrom("things_by_meaning").selectAll().execute();
  await store.close();
  return { vectors, things };
}

/** A group may be complete before the vector of a wording that joins no other. */
const untilVectors = (server: TestServer, count: number) =>
  until(`${count} vectors`, async () => (await storedIn(server)).vectors.length === count);

describe("groups by meaning", () => {
  test("turns of one agent that mean the same are one group, and the group counts those that only the meaning joins", async () => {
    const endpoint = await openEndpoint();
    const server = await openServer({ ...endpoint.settings(), SVC_EMBEDDINGS_API_KEY: "key-of-vectors" });
    await newGrader(server);
    await sendCalls(server, SAID);
    await sendCalls(server, [MONEY[0]!], { from: 11 });
    const [money, rooms] = await grouped(server, 3, 2);
    expect([money!.joinedByMeaning, rooms!.joinedByMeaning]).toEqual([1, 1]);
    expect(money!.words).toEqual(expect.arrayContaining(["money"]));
    const shown = "1 of 3: their words differ, but an embedding model found the same meaning";
    expect(groupText(money!, [])).toMatch(new RegExp(`By meaning +${shown}`));
    expect(groupText({ ...money!, joinedByMeaning: 0 }, [])).not.toContain("By meaning");
    // Words alone leave the agents, names and numbers in the service. Each wording is sent once.
    expect(endpoint.texts().toSorted()).toEqual(
      [
        "guarantee money comes back",
        "guarantee full refund",
        "guarantee room free",
        "guarantee suites stand empty",
      ].toSorted(),
    );
    expect(new Set(endpoint.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(["Bearer key-of-vectors"]),
    );
    expect(new Set(endpoint.asked.map(({ body }) => Object.keys(body).join()))).toEqual(new Set(["model,input"]));
    // Grouping again asks for nothing.
    const asked = endpoint.asked.length;
    await sendCalls(server, [MONEY[1]!], { from: 21 });
    await grouped(server, 4, 2);
    expect(endpoint.asked).toHaveLength(asked);
  });

  test("turns of two agents stay apart, whatever they mean, and an agent's only wording is not sent", async () => {
    const endpoint = await openEndpoint();
    const server = await openServer(endpoint.settings());
    await newGrader(server);
    await sendCalls(server, MONEY);
    await sendCalls(server, ["Guarantee: refund by Friday, or your money."], { from: 11, agent: "Clinic" });
    const groups = await grouped(server, 2, 1);
    expect(groups.map(({ agentNames }) => agentNames)).toEqual([["Hotel"], ["Clinic"]]);
    expect(endpoint.texts().join()).not.toContain("or money");
  });

  test("without the settings nothing is sent or stored", async () => {
    const endpoint = await openEndpoint();
    const server = await openServer({});
    await newGrader(server);
    await sendCalls(server, SAID);
    const groups = await grouped(server, 1, 1, 1, 1);
    expect(groups.every(({ joinedByMeaning }) => joinedByMeaning === 0)).toBe(true);
    expect(endpoint.asked).toEqual([]);
    expect(await storedIn(server)).toEqual({ vectors: [], things: [] });
  });

  test("a failure that only the meaning joins to an ignored group does not open it, and opens a resolved group if it is later", async () => {
    const endpoint = await openEndpoint();
    const server = await openServer(endpoint.settings());
    const { client } = server;
    await newGrader(server);
    await sendCalls(server, [MONEY[0]!]);
    const [{ id: groupId }] = (await grouped(server, 1)) as [FailureGroup];
    await client.groups.edit({ groupId, state: "ignored" });
    await sendCalls(server, [MONEY[1]!], { from: 2 });
    expect(await grouped(server, 2)).toMatchObject([{ id: groupId, state: "ignored" }]);
    await client.groups.edit({ groupId, state: "resolved" });
    await sendCalls(server, ["It is my guarantee: cash, refund, everything."], { from: 3 });
    expect(await grouped(server, 3)).toMatchObject([{ id: groupId, state: "resolved" }]);
    const startMs = Date.now() + 60_000;
    const said = "Guarantee! Dollars, dimes, refunds galore.";
    await sendSpans(server, client, answeredCall(4, { agent: "Hotel", startMs, latencyMs: 100, said }));
    const [regressed] = await grouped(server, 4);
    expect(regressed).toMatchObject({ id: groupId, state: "open", regressedAt: regressed!.lastSeenAt });
    const { events } = await client.events.list({ type: "group.regressed" });
    expect(events).toHaveLength(1);
  });
});

describe("vectors", () => {
  test("an erasure deletes the vectors of words that no failure has any more", async () => {
    const endpoint = await openEndpoint();
    const server = await openServer(endpoint.settings());
    await newGrader(server);
    await sendCalls(server, [...MONEY, ROOMS[0]!, MONEY[1]!]);
    await grouped(server, 3, 1);
    await untilVectors(server, 3);
    await server.client.traces.delete({ traceId: traceIdOf(2) });
    await grouped(server, 2, 1);
    await untilVectors(server, 3);
    await server.client.traces.delete({ traceId: traceIdOf(4) });
    await grouped(server, 1, 1);
    await untilVectors(server, 2);
    for (const trace of [1, 3]) await server.client.traces.delete({ traceId: traceIdOf(trace) });
    await grouped(server);
    expect(await storedIn(server)).toEqual({ vectors: [], things: [] });
  });

  test("a start with other settings groups again: another limit, another model, no model", async () => {
    const endpoint = await openEndpoint();
    const first = await openServer({});
    await newGrader(first);
    await sendCalls(first, SAID);
    await grouped(first, 1, 1, 1, 1);
    const { dataDir, adminKey, projectKey } = first;
    await first.close();
    const restart = async (settings: Record<string, string>, ...sizes: number[]) => {
      const server = await openServer({ ...keySettings({ adminKey, projectKey }), ...settings }, dataDir);
      await grouped(server, ...sizes);
      await until("nothing is due", async () => (await storedIn(server)).things.every(({ due_ms }) => due_ms === null));
      const stored = await storedIn(server);
      await server.close();
      return stored;
    };
    // Failures from before the setting are joined too.
    expect((await restart(endpoint.settings(), 2, 2)).vectors).toHaveLength(4);
    const asked = endpoint.asked.length;
    await restart(endpoint.settings(1), 1, 1, 1, 1);
    await restart(endpoint.settings(0.01), 4);
    await restart(endpoint.settings(), 2, 2);
    expect(endpoint.asked).toHaveLength(asked);
    const other = await restart(endpoint.settings(0.9, "vectors-2"), 2, 2);
    expect(other.vectors.map(({ model }) => model)).toEqual(Array.from({ length: 4 }, () => "vectors-2"));
    expect(await restart({}, 1, 1, 1, 1)).toEqual({ vectors: [], things: [] });
  });
});

const data =
  (change: (vectors: unknown[]) => unknown): AnswerForVectors =>
  ({ body }, response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(change(body.input.map(vectorOf))));

const status =
  (code: number, headers = {}): AnswerForVectors =>
  (_, response) =>
    void response.writeHead(code, headers).end("{}");

const HOSTILE: Record<string, AnswerForVectors> = {
  "vectors of several lengths": data((vectors) => vectorsAnswer([[1, 2, 3, 4], ...vectors.slice(1)])),
  "vectors without numbers": data((vectors) => vectorsAnswer(vectors.map(() => []))),
  "vectors without a direction": data((vectors) => vectorsAnswer(vectors.map(() => [0, 0, 0]))),
  "texts in place of numbers": data((vectors) => vectorsAnswer(vectors.map(() => ["1", "2", "3"]))),
  "null in place of numbers": data((vectors) => vectorsAnswer(vectors.map(() => [NaN, 1, 2]))),
  "numbers without an end": (_, response) =>
    void response.writeHead(200).end('{"data":[{"index":0,"embedding":[1e999,1,2]},{"index":1,"embedding":[1,2,3]}]}'),
  "too few vectors": data((vectors) => vectorsAnswer(vectors.slice(1))),
  "one index twice": data((vectors) => ({ data: vectors.map((embedding) => ({ index: 0, embedding })) })),
  "indices from 1": data((vectors) => ({ data: vectors.map((embedding, at) => ({ index: at + 1, embedding })) })),
  "no indices": data((vectors) => ({ data: vectors.map((embedding) => ({ embedding })) })),
  "members that are null": data((vectors) => ({ data: vectors.map(() => null) })),
  null: data(() => null),
  "another text": (_, response) => void response.writeHead(200).end("<html>"),
  "nothing more after the headers": (_, response) => void response.writeHead(200).write("{"),
  "a body without an end": (_, response) => {
    const chunk = "1,".repeat(50_000);
    response.writeHead(200).write('{"data":[{"index":0,"embedding":[');
    const write = () => {
      while (!response.destroyed && response.write(chunk));
      response.once("drain", write);
    };
    write();
  },
  "500": status(500),
  "429": status(429, { "retry-after-ms": "30" }),
  "401": status(401),
  "a redirect": status(302, { location: "/v1/elsewhere" }),
  "no answer": () => {},
  "a broken connection": (_, response) => void response.socket!.destroy(),
};

describe("a faulty endpoint", () => {
  let endpoint: Awaited<ReturnType<typeof startEmbeddings>>;
  let server: TestServer;
  beforeAll(async () => {
    endpoint = await startEmbeddings(vectorOf);
    server = await startServer({ settings: endpoint.settings(), ...OPTIONS });
  });
  afterAll(async () => {
    await server.stop();
    endpoint.stop();
  });

  test.each(Object.keys(HOSTILE))(
    "that answers with %s leaves the groups as by words until it is well",
    async (name) => {
      endpoint.answerWith(HOSTILE[name]);
      const { project } = await server.admin.projects.create({ name: freshName("project") });
      const client = server.clientOf((await server.admin.keys.create({ project_id: project.id })).secret);
      const ofProject = { ...server, client };
      await newGrader(ofProject);
      await sendCalls(ofProject, SAID);
      await grouped(ofProject, 1, 1, 1, 1);
      const before = endpoint.asked.length;
      await until("it was asked again", () => endpoint.asked.length > before + 1);
      await grouped(ofProject, 1, 1, 1, 1);
      const { vectors } = await storedIn(server);
      expect(vectors.filter(({ project_id }) => project_id === project.id)).toEqual([]);
      endpoint.answerWith(undefined);
      await grouped(ofProject, 2, 2);
      // A redirect was not followed: each request was for vectors.
      expect(endpoint.asked.every(({ body }) => body.model === "vectors-1")).toBe(true);
    },
  );
});

describe("an endpoint", () => {
  test("that fails for long is a condition, until it answers", async () => {
    const endpoint = await openEndpoint();
    endpoint.answerWith(status(401));
    const server = await openServer(endpoint.settings());
    await newGrader(server);
    await sendCalls(server, MONEY);
    const codes = async () => (await server.admin.conditions.list()).conditions.map(({ code }) => code);
    await until("the condition", async () => (await codes()).includes("embeddings_failing"));
    expect((await server.client.health.get()).degraded).toBe(false);
    endpoint.answerWith(undefined);
    await grouped(server, 2);
    await until("its end", async () => !(await codes()).includes("embeddings_failing"));
  });

  test("whose vectors have another length from now on is asked for all vectors again", async () => {
    const endpoint = await openEndpoint();
    const server = await openServer(endpoint.settings());
    await newGrader(server);
    await sendCalls(server, MONEY);
    await grouped(server, 2);
    endpoint.answerWith(data((vectors) => vectorsAnswer((vectors as number[][]).map((vector) => [...vector, 0.1]))));
    await sendCalls(server, ROOMS, { from: 11 });
    await grouped(server, 2, 2);
    const { vectors } = await storedIn(server);
    expect(vectors).toHaveLength(4);
    expect(new Set(vectors.map(({ vector }) => vector.length)).size).toBe(1);
  });

  test("that hangs at a stop is asked again at the next start", async () => {
    const endpoint = await openEndpoint();
    endpoint.answerWith(() => {});
    const first = await openServer(endpoint.settings());
    await newGrader(first);
    await sendCalls(first, SAID);
    await until("it was asked", () => endpoint.asked.length > 0);
    const { dataDir, adminKey, projectKey } = first;
    await first.close();
    endpoint.answerWith(undefined);
    const settings = { ...keySettings({ adminKey, projectKey }), ...endpoint.settings() };
    await grouped(await openServer(settings, dataDir), 2, 2);
  });
});

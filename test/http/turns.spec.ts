import { LIMITS, ListedTurn } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";
import { graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

const HOSTILE = "\u202Eevil\u2066 <b>\u0007 😀";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ productionPace: { everyMs: 100 } });
  await server.client.graders.create({
    name: "no guarantee",
    definition: { kind: "check", check: 'never says "guarantee"' },
    scope: "production",
    productionSampleRate: 1,
  });
  await sendSpans(server, server.client, CALLS.flatMap(spansOf));
  for (const number of [0, 1, 2, 3]) await graded(server.client, number);
});
afterAll(() => server.stop());

type Answer = { ms?: number; cut?: boolean; tools?: string[]; failed?: boolean; asks?: string; says?: string };
type Call = { agent?: string; answers: Answer[] };

const CALLS: Call[] = [
  {
    agent: "Ada",
    answers: [{ ms: 800, tools: ["book"], failed: true }, { ms: 5_000 }, { ms: 800, cut: true, tools: ["look"] }],
  },
  { agent: "Bob", answers: [{ ms: 800 }, { ms: 2_000, cut: true }] },
  { agent: "Ada", answers: [{ asks: HOSTILE, says: "I guarantee it." }] },
  { answers: [] },
];

/** Returns the spans of the call with this number: its caller asks, and its agent answers, again and again. */
function spansOf({ agent, answers }: Call, number: number): OtlpSpan[] {
  const shared = [
    attribute("lk.job_id", `job ${number}`),
    ...(agent === undefined ? [] : [attribute("gen_ai.agent.name", agent)]),
  ];
  return [
    spanOf(number, 0, { name: "job_entrypoint", attributes: shared }),
    ...answers.flatMap(({ ms, cut, tools = [], failed = false, asks = "Hello?", says = "Fine." }, at) => {
      const first = 1 + at * 10;
      const said = [
        attribute("lk.response.text", says),
        ...(ms === undefined ? [] : [attribute("lk.e2e_latency", ms / 1000)]),
        ...(cut === undefined ? [] : [attribute("lk.interrupted", cut)]),
        ...(cut === true ? [attribute("lk.interruption.source", "user_turn")] : []),
      ];
      const turn = spanOf(number, first + 1, { name: "agent_turn", attributes: [...shared, ...said] });
      return [
        spanOf(number, first, { name: "user_turn", attributes: [...shared, attribute("lk.user_transcript", asks)] }),
        turn,
        ...tools.map((tool, of) =>
          spanOf(number, first + 2 + of, {
            name: "function_tool",
            parentSpanId: turn.spanId,
            attributes: [
              ...shared,
              attribute("lk.function_tool.name", tool),
              attribute("lk.function_tool.is_error", failed),
            ],
          }),
        ),
      ];
    }),
  ];
}

type Query = NonNullable<Parameters<Client["turns"]["list"]>[0]>;

const nameOf = ({ traceId, index }: ListedTurn) => `${Number(traceId.slice(1))}.${index}`;

/** Returns the call and the number of each turn that matches, in the order of the list. */
async function turnsOf(query: Query, client = server.client): Promise<string[]> {
  const { turns } = await client.turns.list(query);
  return turns.map(nameOf);
}

/** Returns all turns that match, page by page. */
async function allOf(query: Query, client: Client): Promise<ListedTurn[]> {
  const all: ListedTurn[] = [];
  for (let pageToken: string | undefined; ;) {
    const page = await client.turns.list({ ...query, ...(pageToken !== undefined && { pageToken }) });
    all.push(...page.turns);
    if (page.nextPageToken === null) return all;
    pageToken = page.nextPageToken;
  }
}

async function otherProject(): Promise<Client> {
  const { project } = await server.admin.projects.create({ name: freshName("project") });
  const { secret } = await server.admin.keys.create({ name: freshName("key"), project_id: project.id });
  return server.clientOf(secret);
}

const startOf = (number: number) => new Date(1_795_251_159_000 + number * 60_000).toISOString();

describe("the list of turns", () => {
  test.each<[Query, string[]]>([
    [{}, ["2.1", "1.3", "1.1", "0.5", "0.3", "0.1"]],
    [{ sort: "startedAt" }, ["0.1", "0.3", "0.5", "1.1", "1.3", "2.1"]],
    [{ sort: "-answerMs" }, ["0.3", "1.3", "1.1", "0.5", "0.1", "2.1"]],
    [{ agent: "Ada" }, ["2.1", "0.5", "0.3", "0.1"]],
    [{ agent: ["Ada", "Bob"], sort: "-answerMs" }, ["0.3", "1.3", "1.1", "0.5", "0.1", "2.1"]],
    [{ withoutAgent: true }, []],
    [{ slowerThanMs: 800 }, ["1.3", "0.3"]],
    [{ slowerThanMs: 799.5, agent: "Ada", sort: "-answerMs" }, ["0.3", "0.5", "0.1"]],
    [{ interrupted: true }, ["1.3", "0.5"]],
    [{ interrupted: true, sort: "-answerMs", slowerThanMs: 800 }, ["1.3"]],
    [{ tool: "look" }, ["0.5"]],
    [{ tool: "Look" }, []],
    [{ tool: "book", interrupted: true }, []],
    [{ source: "production", tool: "book" }, ["0.1"]],
    [{ source: "simulation" }, []],
    [{ verdict: "failed" }, ["2.1"]],
    [{ verdict: "failed", agent: "Bob" }, []],
    [{ from: startOf(1), to: startOf(2) }, ["1.3", "1.1"]],
    [{ from: startOf(1), to: startOf(2), sort: "-answerMs" }, ["1.3", "1.1"]],
    [{ channel: "telephone" }, []],
    [{ agentVersion: "7" }, []],
    [{ runId: "run_00000000000000000000000000" }, []],
    [{ alertId: "alt_00000000000000000000000000" }, []],
  ])("the list of turns has the turns that match %j", async (query, turns) => {
    expect(await turnsOf(query)).toEqual(turns);
    expect((await allOf({ ...query, pageSize: 1 }, server.client)).map(nameOf)).toEqual(turns);
  });

  test("a row has the words before and in the turn, its time, and the tools that it called, as its conversation shows them", async () => {
    const { turns } = await server.client.turns.list({ sort: "startedAt" });
    expect(turns.map((turn) => ListedTurn.parse(turn))).toEqual(turns);
    expect(turns[0]).toMatchObject({
      traceId: traceIdOf(0),
      index: 1,
      source: "production",
      agentName: "Ada",
      userText: "Hello?",
      agentText: "Fine.",
      answerMs: 800,
      provenance: "provider_reported",
      tools: ["book"],
      toolFailed: true,
    });
    expect(turns[2]).toMatchObject({ index: 5, interrupted: true, tools: ["look"], toolFailed: false });
    expect(turns.at(-1)).toMatchObject({ userText: HOSTILE, answerMs: null, provenance: null });
    const shown = await server.client.traces.get({ traceId: traceIdOf(0) });
    expect(turns[0]!.startedAt).toBe(shown.turns[1]!.startedAt);
  });

  test("a token of another order, or one that no list made, is refused", async () => {
    const { nextPageToken } = await server.client.turns.list({ pageSize: 1 });
    const tokens = [
      [nextPageToken!, "-answerMs"],
      ["e30", "-startedAt"],
      ["!", "-startedAt"],
      [Buffer.from('["-startedAt","1","1","key",-1]').toString("base64url"), "-startedAt"],
    ] as const;
    for (const [pageToken, sort] of tokens)
      await expect(server.client.turns.list({ pageToken, sort })).rejects.toMatchObject({ status: 422 });
  });

  test("turns of the same start and the same time are each on one page, whatever the size of a page", async () => {
    const client = await otherProject();
    const at = { startTimeUnixNano: "1795251159000000000", endTimeUnixNano: "1795251159000500000" };
    const calls = Array.from({ length: 9 }, (_, number) =>
      spansOf({ agent: "Ada", answers: [{ ms: 500 }, { ms: 500 }, {}] }, number).map((span) => ({ ...span, ...at })),
    );
    await sendSpans(server, client, calls.flat());
    for (const sort of ["-startedAt", "startedAt", "-answerMs"] as const)
      for (const pageSize of [1, 4, 26, 27, 28]) {
        const names = (await allOf({ sort, pageSize }, client)).map(nameOf);
        expect(names).toHaveLength(27);
        expect(new Set(names).size).toBe(27);
      }
  });

  test("a conversation of 500 turns that gets more spans has each of its turns once", async () => {
    const client = await otherProject();
    const call = spansOf({ agent: "Ada", answers: Array.from({ length: 500 }, (_, at) => ({ ms: at + 1 })) }, 1);
    await sendSpans(server, client, call.slice(0, 400));
    await sendSpans(server, client, call.slice(400));
    await sendSpans(server, client, call);
    const all = await allOf({ sort: "-answerMs", pageSize: LIMITS.pageSizeMax }, client);
    expect(all.map(({ answerMs }) => answerMs)).toEqual(Array.from({ length: 500 }, (_, at) => 500 - at));
    expect(new Set(all.map(nameOf)).size).toBe(500);
  });

  test("a deleted conversation has no turns in the list, and neither has a conversation of another project", async () => {
    const client = await otherProject();
    expect(await turnsOf({}, client)).toEqual([]);
    await sendSpans(
      server,
      client,
      [1, 2].flatMap((number) => spansOf({ agent: "Ada", answers: [{ ms: 9 }] }, number)),
    );
    expect(await turnsOf({}, client)).toEqual(["2.1", "1.1"]);
    await client.traces.delete({ traceId: traceIdOf(2) });
    expect(await turnsOf({}, client)).toEqual(["1.1"]);
    expect(await turnsOf({ sort: "-answerMs" }, client)).toEqual(["1.1"]);
    await server.conversationsRead();
    expect(await turnsOf({}, client)).toEqual(["1.1"]);
  });

  test("the turns of two traces that turn out to be one conversation are once in the list, below the conversation's id", async () => {
    const client = await otherProject();
    const named = (number: number) => attribute("lk.room_name", `room ${number}`);
    const turn = (trace: number, room: number) => [
      spanOf(trace, 1, { name: "user_turn", attributes: [named(room), attribute("lk.user_transcript", "Hello?")] }),
      spanOf(trace, 2, { name: "agent_turn", attributes: [named(room), attribute("lk.response.text", "Yes.")] }),
    ];
    await sendSpans(server, client, [...turn(1, 1), ...turn(2, 2)]);
    expect(await turnsOf({}, client)).toEqual(["2.1", "1.1"]);
    const job = attribute("lk.job_id", "one job");
    await sendSpans(
      server,
      client,
      [1, 2].map((trace) => spanOf(trace, 0, { name: "job_entrypoint", attributes: [job] })),
    );
    expect(await turnsOf({}, client)).toEqual(["1.3", "1.1"]);
  });
});

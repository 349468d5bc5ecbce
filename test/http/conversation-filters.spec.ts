import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spanOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";
import { graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName } from "../support/world.ts";

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

type Call = {
  agent?: string;
  answerMs?: number;
  wasInterrupted?: boolean;
  tools?: string[];
  said?: string;
  isOver?: boolean;
};

const CALLS: Call[] = [
  { agent: "Ada", answerMs: 800, wasInterrupted: false, tools: ["book"] },
  { agent: "Bob", answerMs: 2_000, wasInterrupted: true, tools: ["book", "look"] },
  { agent: "Cas", answerMs: 1_500, said: "I guarantee it." },
  { answerMs: 900, tools: ["look"] },
  { agent: "Ada", isOver: false },
];

/** Returns the spans of the call with this number, in which the caller asks and the agent answers. */
function spansOf(
  { agent, answerMs, wasInterrupted, tools = [], said = "Fine.", isOver = true }: Call,
  number: number,
): OtlpSpan[] {
  const shared = [
    attribute("lk.job_id", `job ${number}`),
    ...(agent === undefined ? [] : [attribute("gen_ai.agent.name", agent)]),
  ];
  const answer = [
    attribute("lk.response.text", said),
    ...(answerMs === undefined ? [] : [attribute("lk.e2e_latency", answerMs / 1000)]),
    ...(wasInterrupted === undefined ? [] : [attribute("lk.interrupted", wasInterrupted)]),
    ...(wasInterrupted === true ? [attribute("lk.interruption.source", "user_turn")] : []),
  ];
  return [
    ...(isOver ? [spanOf(number, 0, { name: "job_entrypoint", attributes: shared })] : []),
    spanOf(number, 1, { name: "user_turn", attributes: [...shared, attribute("lk.user_transcript", "Hello?")] }),
    spanOf(number, 2, { name: "agent_turn", attributes: [...shared, ...answer] }),
    ...tools.map((tool, at) =>
      spanOf(number, 3 + at, {
        name: "function_tool",
        attributes: [...shared, attribute("lk.function_tool.name", tool)],
      }),
    ),
  ];
}

type Filters = NonNullable<Parameters<Client["traces"]["list"]>[0]>;

/** Returns the numbers of the calls that match the filters, in the order of the list. */
const numbersOf = async (filters: Filters): Promise<number[]> =>
  (await server.client.traces.list(filters)).traces.map(({ conversationId }) => Number(conversationId!.slice(4)));

describe("the list of conversations", () => {
  test.each<[Filters, number[]]>([
    [{}, [4, 3, 2, 1, 0]],
    [{ agent: ["Ada", "Cas"] }, [4, 2, 0]],
    [{ withoutAgent: true }, [3]],
    [{ withoutAgent: true, agent: "Bob" }, [3, 1]],
    [{ slowerThanMs: 900 }, [2, 1]],
    [{ slowerThanMs: 899.5 }, [3, 2, 1]],
    [{ interrupted: true }, [1]],
    [{ interrupted: false }, [0]],
    [{ tool: "look" }, [3, 1]],
    [{ tool: "Look" }, []],
    [{ tool: "book", interrupted: true }, [1]],
    [{ quality: "root" }, [4]],
    [{ quality: "vocabulary" }, []],
    [{ verdict: "failed" }, [2]],
    [{ verdict: "errored" }, []],
    [{ verdict: "failed", agent: "Ada" }, []],
    [{ alertId: "alt_00000000000000000000000000" }, []],
    [{ sort: "-latency", slowerThanMs: 0 }, [1, 2, 3, 0]],
  ])("the list of conversations has the conversations that match %j", async (filters, numbers) => {
    expect(await numbersOf(filters)).toEqual(numbers);
  });

  test("the list of conversations shows how often the user cut the agent short, and the topics of the quality notes", async () => {
    const { traces } = await server.client.traces.list({ agent: "Bob" });
    expect(traces[0]).toMatchObject({ interruptionCount: 1 });
    const { quality, qualityTopics } = await server.client.traces.get({ traceId: traces[0]!.traceId });
    expect(traces[0]!.qualityTopics).toEqual(qualityTopics);
    expect(qualityTopics).toEqual([...new Set(quality.notes.map(({ about }) => about))]);
    const { traces: unknown } = await server.client.traces.list({ withoutAgent: true });
    expect(unknown[0]).toMatchObject({ interruptionCount: null });
  });

  test("the list of conversations counts the conversations that match on all pages only when the request asks for the total", async () => {
    const { client } = server;
    expect(await client.traces.list({ pageSize: 2 })).toMatchObject({ total: null, totalIsMore: false });
    const first = await client.traces.list({ pageSize: 2, total: true });
    expect(first).toMatchObject({ total: 5, totalIsMore: false });
    const second = await client.traces.list({ pageSize: 2, total: true, pageToken: first.nextPageToken! });
    expect([second.traces.length, second.total]).toEqual([2, 5]);
    expect(await client.traces.list({ total: true, tool: "look" })).toMatchObject({ total: 2 });
    expect(await client.traces.list({ total: true, search: "nothing" })).toMatchObject({ traces: [], total: 0 });
  });

  test("a verdict in another project changes nothing", async () => {
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    expect((await server.admin.traces.list({ projectId: project.id, verdict: "failed" })).traces).toEqual([]);
  });
});

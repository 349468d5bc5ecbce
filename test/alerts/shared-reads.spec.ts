import { expect, test } from "vitest";
import { type Watching, withSharedReads } from "../../packages/server/src/alerts/watched.ts";

type Counted = NonNullable<Awaited<ReturnType<Watching["reader"]["countConversations"]>>>;

const PERIOD = { project: 1, fromMs: 0, toMs: 60_000, bucketMs: 60_000, source: "production" } as const;
const rowOf = (agent: string | null): Counted[number] => ({
  agent,
  source: "production",
  startMs: 0,
  conversations: 1,
  errors: 0,
});

/**
 * Returns a reader that records the agents of each read. A read of all agents returns `all`, where null means that the reader
 * refuses it.
 */
function sources(all: Counted | null) {
  const asked: (readonly string[] | undefined)[] = [];
  const countConversations: Watching["reader"]["countConversations"] = async ({ agents }) => {
    asked.push(agents);
    return agents === undefined ? all : agents.map(rowOf);
  };
  return { asked, read: withSharedReads({ reader: { countConversations } } as Watching).reader.countConversations };
}

test("rules of different agents that watch the same windows share one read, and each gets the rows of its agents", async () => {
  const { asked, read } = sources([rowOf("Ada"), rowOf(null), rowOf("Bob")]);
  const [ofAda, ofBob, ofAll] = await Promise.all([
    read({ ...PERIOD, agents: ["Ada"] }),
    read({ ...PERIOD, agents: ["Bob", "Nobody"] }),
    read({ ...PERIOD, agents: undefined }),
  ]);
  expect([ofAda, ofBob].map((rows) => rows!.map(({ agent }) => agent))).toEqual([["Ada"], ["Bob"]]);
  expect(ofAll).toHaveLength(3);
  expect(asked).toEqual([undefined]);
});

test("other windows and other versions are read apart", async () => {
  const { asked, read } = sources([]);
  await read({ ...PERIOD, agents: undefined });
  await read({ ...PERIOD, toMs: 120_000, agents: undefined });
  await read({ ...PERIOD, versions: ["41"], agents: undefined });
  expect(asked).toHaveLength(3);
});

test("when all agents are too many for one read, a rule reads its own", async () => {
  const { asked, read } = sources(null);
  expect(await read({ ...PERIOD, agents: ["Ada"] })).toEqual([rowOf("Ada")]);
  expect(await read({ ...PERIOD, agents: ["Bob"] })).toEqual([rowOf("Bob")]);
  expect(asked).toEqual([undefined, ["Ada"], ["Bob"]]);
});

test("rules of the same grader share one read of its grades", async () => {
  const graded = (agent: string) => ({ agent, startMs: 0, decided: 2, failed: 1 });
  const asked: (string | null)[] = [];
  const countGraded: Watching["countGraded"] = async ({ grader }) => {
    asked.push(grader);
    return [graded("Ada"), graded("Bob")];
  };
  const { countGraded: read } = withSharedReads({ reader: {}, countGraded } as Watching);
  const { project: _, source: __, ...windows } = PERIOD;
  const period = { ...windows, projectId: "prj_1", versions: undefined, channels: undefined };
  expect(await read({ ...period, grader: "Polite", agents: ["Bob"] })).toEqual([graded("Bob")]);
  expect(await read({ ...period, grader: "Polite", agents: undefined })).toHaveLength(2);
  await read({ ...period, grader: null, agents: undefined });
  expect(asked).toEqual(["Polite", null]);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failingTurns } from "../support/failing-conversations.ts";
import {
  anchorOf,
  decideState,
  type GroupDecision,
  groupsOf,
  type WordingRow,
} from "../../packages/server/src/groups/rules.ts";
import {
  componentsOf,
  joiningWords,
  typicalWording,
  wordingOf,
} from "../../packages/server/src/groups/similar-rules.ts";
import { toolErrorOf } from "../../packages/server/src/groups/failure-rules.ts";

const PLACE = { projectId: "prj_1", whatKey: "what" };
const NEW: GroupDecision = {
  state: "open",
  resolved_at: null,
  resolved_by: null,
  resolved_except: "[]",
  regressed_at: null,
};
const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 0, minute)).toISOString();

type Failing = { name: string; startedAt: string; wording: string };

/** Groups failures batch by batch as the store does. Later batches know the earlier groups by their ids. */
function arrive(batches: readonly (readonly Failing[])[]) {
  const members: (Failing & { groupId: string | null })[] = [];
  let former = new Map<string, GroupDecision>();
  const happened: string[] = [];
  for (const batch of batches) {
    members.push(...batch.map((each) => ({ ...each, groupId: null })));
    const arrived = Map.groupBy(batch, ({ wording }) => wording);
    const arrivals = new Map(
      [...arrived].map(([wording, of]) => [wording, of.map(({ startedAt }) => ({ startedAt, agentVersion: null }))]),
    );
    const groups = groupsOf(rowsOf(members), former, arrivals);
    for (const { id, wordings, happened: what } of groups) {
      if (what !== null) happened.push(what);
      const own = new Set(wordings.map(({ wording }) => wording));
      for (const member of members) if (own.has(member.wording)) member.groupId = id;
    }
    former = new Map(groups.map(({ id, decision }) => [id, decision]));
  }
  const shown = [...Map.groupBy(members, ({ groupId }) => groupId!)].map(([id, of]) => [
    id,
    of.map(({ name }) => name).sort(),
  ]);
  return { groups: shown.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)), former, happened };
}

function rowsOf(members: readonly (Failing & { groupId: string | null })[]): WordingRow[] {
  return [...Map.groupBy(members, ({ wording, groupId }) => `${wording}|${groupId}`).values()].map((of) => ({
    wording: of[0]!.wording,
    groupId: of[0]!.groupId,
    isCompared: true,
    size: of.length,
    oldest: of.map(({ startedAt, name }) => anchorOf(PLACE, startedAt, name)).sort()[0]!,
    newest: of
      .map(({ startedAt }) => startedAt)
      .sort()
      .at(-1)!,
  }));
}

const arrivals = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 59 })), {
    selector: ([turn]) => turn,
    maxLength: 60,
  })
  .map((picked) =>
    picked.map(([turn, minute]): Failing => ({
      name: `conversation ${turn}`,
      startedAt: at(minute),
      wording: wordingOf(TURNS[turn]!.text, TURNS[turn]!.agent),
    })),
  );
const TURNS = failingTurns(401);

/** Returns the items in another order, and in batches of another size. */
const batches = <T>(items: readonly T[], order: readonly number[], size: number): T[][] => {
  const shuffled = items.map(
    (item, index) => [order[index % order.length]! * 31 + index * order.length, item] as const,
  );
  const sorted = shuffled.sort(([a], [b]) => (a % 17) - (b % 17) || a - b).map(([, item]) => item);
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, n) => sorted.slice(n * size, (n + 1) * size));
};

describe("groups", () => {
  test("the same failures are the same groups with the same ids, in any order of arrival and any batches", () => {
    const orders = fc.array(fc.nat(50), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(arrivals, orders, fc.integer({ min: 1, max: 9 }), (all, order, size) => {
        const once = arrive([all]).groups;
        expect(arrive(batches(all, order, size)).groups).toEqual(once);
        expect(arrive(all.toReversed().map((each) => [each])).groups).toEqual(once);
      }),
    );
  });

  test("grouping again changes nothing and tells nothing", () => {
    fc.assert(
      fc.property(arrivals, (all) => {
        const once = arrive([all]);
        const again = arrive([all, [], []]);
        expect(again.groups).toEqual(once.groups);
        expect(again.happened).toEqual(once.happened);
      }),
    );
  });

  test("groups that meet go on as the older one, and open when one of them was open", () => {
    const [first, second] = ["cannot find booking", "card declined bank"];
    const bridge = `${first} ${second}`;
    const rows = (wordings: [string, string | null, number][]): WordingRow[] =>
      wordings.map(([wording, groupId, minute]) => {
        const oldest = anchorOf(PLACE, at(minute), wording);
        return { wording, groupId, isCompared: true, size: 1, oldest, newest: at(minute) };
      });
    const [one, other] = groupsOf(
      rows([
        [first!, null, 1],
        [second!, null, 2],
      ]),
      new Map(),
      new Map(),
    );
    const resolved = { ...NEW, state: "resolved", resolved_at: at(5), resolved_by: "usr_1" } as const;
    const ignored = { ...NEW, state: "ignored" } as const;
    const met = (a: GroupDecision, b: GroupDecision, minute: number) => {
      const former = new Map([
        [one!.id, a],
        [other!.id, b],
      ]);
      const all = rows([
        [first!, one!.id, 1],
        [second!, other!.id, 2],
        [bridge, null, minute],
      ]);
      const groups = groupsOf(all, former, new Map([[bridge, [{ startedAt: at(minute), agentVersion: null }]]]));
      expect(groups.map(({ id, formerIds }) => [id, formerIds])).toEqual([[one!.id, [one!.id, other!.id]]]);
      return [groups[0]!.decision.state, groups[0]!.happened];
    };
    expect(met(NEW, resolved, 3)).toEqual(["open", null]);
    expect(met(resolved, ignored, 3)).toEqual(["resolved", null]);
    expect(met(ignored, ignored, 9)).toEqual(["ignored", null]);
    // The failure that joins the two groups happened after they were resolved.
    expect(met(resolved, resolved, 9)).toEqual(["open", "regressed"]);
  });

  test("an erasure that parts a group leaves its id to the older part, and its state to both", () => {
    const wordings = ["cannot find booking", "cannot find booking card declined bank", "card declined bank"];
    const all = wordings.map((wording, minute) => ({ name: wording, startedAt: at(minute), wording }));
    const { groups, former } = arrive([all]);
    expect(groups).toHaveLength(1);
    const id = groups[0]![0] as string;
    const ignored = new Map([[id, { ...former.get(id)!, state: "ignored" as const }]]);
    const left = rowsOf([0, 2].map((index) => ({ ...all[index]!, groupId: id })));
    const parts = groupsOf(left, ignored, new Map());
    expect(parts.map((part) => [part.id === id, part.decision.state, part.happened])).toEqual([
      [true, "ignored", null],
      [false, "ignored", null],
    ]);
  });

  test("wordings over the bound follow the most similar one, and the others are one group", () => {
    const row = (wording: string, isCompared: boolean, minute: number): WordingRow => {
      const oldest = anchorOf(PLACE, at(minute), wording);
      return { wording, groupId: null, isCompared, size: 1, oldest, newest: at(minute) };
    };
    const all = [
      row("cannot find booking", true, 0),
      row("cannot find any booking", false, 1),
      row("card declined", false, 2),
      row("weather unknown", false, 3),
    ];
    const groups = groupsOf(all, new Map(), new Map());
    expect(groups.map(({ wordings }) => wordings.map(({ wording }) => wording))).toEqual([
      ["cannot find booking", "cannot find any booking"],
      ["card declined", "weather unknown"],
    ]);
    const kept = groups.flatMap(({ id, wordings }) => wordings.map((each) => ({ ...each, groupId: id })));
    const former = new Map(groups.map(({ id, decision }) => [id, decision]));
    expect(groupsOf(kept, former, new Map()).map(({ id }) => id)).toEqual(groups.map(({ id }) => id));
  });

  test("a failure opens a resolved group, unless it is earlier or of a version in which it still fails", () => {
    const [wording, oldest] = ["cannot find booking", anchorOf(PLACE, at(1), "first")];
    const row: WordingRow = { wording, groupId: null, isCompared: true, size: 1, oldest, newest: at(1) };
    const id = groupsOf([row], new Map(), new Map())[0]!.id;
    const resolved = decideState(NEW, { state: "resolved", exceptVersions: ["40", "41"] }, at(5), "usr_1");
    const after = (minute: number, agentVersion: string | null) => {
      const arrived = new Map([[wording, [{ startedAt: at(minute), agentVersion }]]]);
      const [group] = groupsOf([{ ...row, groupId: id }], new Map([[id, resolved]]), arrived);
      return [group!.decision.state, group!.happened];
    };
    expect(after(9, "41")).toEqual(["resolved", null]);
    expect(after(4, "42")).toEqual(["resolved", null]);
    expect(after(9, "42")).toEqual(["open", "regressed"]);
    expect(after(9, "4")).toEqual(["open", "regressed"]);
    expect(after(9, null)).toEqual(["open", "regressed"]);
    expect(decideState(resolved, { state: "resolved" }, at(6), "usr_2")).toMatchObject({ resolved_except: "[]" });
    expect(() => decideState(NEW, { state: "ignored", exceptVersions: ["41"] }, at(6), "usr_1")).toThrow(
      "exceptVersions",
    );
  });

  test("a group is resolved and reopened by a person, and a resolution has its time", () => {
    const resolved = decideState(NEW, { state: "resolved" }, at(1), "usr_1");
    expect(resolved).toEqual({ ...NEW, state: "resolved", resolved_at: at(1), resolved_by: "usr_1" });
    expect(decideState(resolved, { state: "resolved" }, at(2), "usr_2")).toBe(resolved);
    expect(decideState(resolved, { state: "open" }, at(2), "usr_2").state).toBe("open");
  });
});

describe("words", () => {
  test.each([
    ["I'm sorry, I can't find a booking for Maria Lopez on Friday the 3rd at 7:30 pm.", "sorry cant find booking"],
    ["Your refund of $42.50 goes to anna@example.com, Mr. Smith.", "refund goes"],
    ["it isn't available for twenty two people", "isnt available people"],
    ["Ich habe Ihre Buchung leider nicht gefunden.", "ich habe ihre buchung leider nicht gefunden"],
    ["予約", "予 約"],
    ["7 8 9", ""],
  ])("words of %j that count are %j", (text, wording) => {
    expect(wordingOf(text, null)).toBe(wording);
  });

  test("words of any text are few and short, and never throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 3_000 }), fc.option(fc.string()), (text, agent) => {
        const words = wordingOf(text, agent).split(" ");
        expect(words.length).toBeLessThanOrEqual(61);
        expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(24);
      }),
    );
  });

  test("that join failures are those that most have, and the typical wording has most of them", () => {
    const sizes = new Map([
      ["booked a table friday", 3],
      ["booking table", 1],
      ["nothing", 1],
    ]);
    expect(joiningWords(sizes)).toEqual(["booked", "table", "a", "friday"]);
    expect(typicalWording(sizes)).toBe("booked a table friday");
  });

  test("words of known causes group most failures by their cause", () => {
    const turns = failingTurns(1_000);
    const groups = [...Map.groupBy(turns, ({ whatFailed }) => whatFailed).values()].flatMap((same) => {
      const byWording = Map.groupBy(same, ({ text, agent }) => wordingOf(text, agent));
      return componentsOf([...byWording.keys()]).map((wordings) => wordings.flatMap((each) => byWording.get(each)!));
    });
    const largest = (of: typeof turns) =>
      Math.max(...[...Map.groupBy(of, ({ cause }) => cause).values()].map(({ length }) => length));
    const pure = groups.reduce((sum, of) => sum + largest(of), 0) / turns.length;
    console.log(`purity ${pure.toFixed(3)} in ${groups.length} groups of 40 causes`);
    expect(pure).toBeGreaterThan(0.9);
    expect(groups.length).toBeLessThan(100);
  });
});

test.each([
  ["Request timed out after 10 s", "timeout"],
  [{ status: 404, detail: "no booking" }, "not_found"],
  [{ error: "Too many requests" }, "rate_limited"],
  ["403 Forbidden", "not_permitted"],
  ["card was declined", "declined"],
  [{ message: "validation failed: date" }, "invalid"],
  ["503", "unavailable"],
  [null, "other"],
])("the error %j of a tool is %s", (result, error) => {
  expect(toolErrorOf(result)).toBe(error);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  baselineOf,
  createMeaning,
  textOfVector,
  vectorOf,
  wordsToCompare,
} from "../../packages/server/src/groups/meaning.ts";
import { anchorOf, type GroupDecision, groupsOf, type WordingRow } from "../../packages/server/src/groups/rules.ts";
import { componentsOf, joinedByMeaning, wordingOf } from "../../packages/server/src/groups/similar-rules.ts";

const SETTINGS = { baseUrl: "http://127.0.0.1:9", apiKey: undefined, model: "vectors-1", similarity: 0.85 };
const PLACE = { projectId: "prj_1", whatKey: "what" };
const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 0, minute)).toISOString();

const cosine = (one: readonly number[], other: readonly number[]) => {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, each, index) => sum + each * b[index]!, 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
};

/** Vectors with few values, so that many pairs are similar and none is close to the limit. */
const aVector = fc
  .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))
  .filter((numbers) => numbers.some((each) => each !== 0));
const vectorsOfWordings = fc.array(aVector, { minLength: 1, maxLength: 12 });

describe("a vector", () => {
  test.each([
    [[]],
    [[0, 0]],
    [[1, null]],
    [["1", "2"]],
    [[1, NaN]],
    [[1, Infinity]],
    [[[1], [2]]],
    [null],
    [undefined],
    ["1,2"],
    [{ length: 2, 0: 1, 1: 2 }],
  ])("is not read from %j", (value) => {
    expect(vectorOf(value)).toBeUndefined();
  });

  test("has at most 8192 numbers", () => {
    const numbers = (length: number) => Array.from({ length }, () => 1);
    expect([vectorOf(numbers(8_192))?.length, vectorOf(numbers(8_193))]).toEqual([8_192, undefined]);
  });

  test.each([[[3, 4]], [[3e-320, 4e-320]], [[1.5e308, 2e307, -1.5e308]], [[-1e-5, 0, 2]]])(
    "of %j gets the length 1 and keeps its direction",
    (numbers) => {
      const vector = [...vectorOf(numbers)!];
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      for (const [index, each] of vector.entries()) expect(Math.sign(each)).toBe(Math.sign(numbers[index]!));
    },
  );
});

describe("comparisons", () => {
  test("the pairs of a thing's vectors that are similar are those of the cosine, whatever vectors came and went before", async () => {
    const steps = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { maxLength: 8 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(vectorsOfWordings, steps, async (all, kept) => {
        const { compare } = createMeaning(SETTINGS, 20);
        for (const picked of [...kept, all.map((_, index) => index)]) {
          const some = picked.filter((index) => index < all.length);
          const texts = new Map(some.map((index) => [`digest ${index}`, textOfVector(vectorOf(all[index])!)]));
          const similarTo = await compare("thing", 0, texts, async () => texts);
          for (let index = 0; index < all.length; index++)
            for (let other = 0; other < index; other++) {
              const [one, two] = [all[index]!, all[other]!];
              const isKnown = some.includes(index) && some.includes(other);
              if (Math.abs(cosine(one, two) - SETTINGS.similarity) < 1e-6) continue;
              const expected = isKnown && cosine(one, two) >= SETTINGS.similarity;
              expect(similarTo(`digest ${index}`).includes(`digest ${other}`)).toBe(expected);
              expect(similarTo(`digest ${other}`).includes(`digest ${index}`)).toBe(expected);
            }
        }
      }),
    );
  });

  test("the same words with another vector are compared again, and vectors of two lengths are never similar", async () => {
    const { compare } = createMeaning(SETTINGS, 20);
    const similar = async (...pair: number[][]) => {
      const texts = new Map(pair.map((each, index) => [String(index), textOfVector(vectorOf(each)!)]));
      return (await compare("thing", 0, texts, async () => texts))("0").includes("1");
    };
    expect(await similar([1, 0, 0], [1, 0, 0.1])).toBe(true);
    expect(await similar([1, 0, 0], [0, 1, 0.1])).toBe(false);
    expect(await similar([1, 0, 0], [1, 0])).toBe(false);
  });

  test("similarities are counted from that of unrelated texts", async () => {
    const vectors = (...all: number[][]) => all.map((each) => vectorOf(each)!);
    expect(baselineOf(vectors([1, 0], [0, 1], [1, 1]))).toBeCloseTo(Math.SQRT2 / 3);
    expect(baselineOf(vectors([1, 0], [-1, 0]))).toBe(0);
    expect(baselineOf(vectors([1, 2], [1, 2]))).toBe(0.99);
    const { compare } = createMeaning(SETTINGS, 20);
    const texts = new Map([
      ["0", textOfVector(vectorOf([1, 0])!)],
      ["1", textOfVector(vectorOf([9, 4])!)],
    ]);
    const similarFrom = async (baseline: number) => (await compare("thing", baseline, texts, async () => texts))("0");
    // The cosine is 0.91: 0.85 of the way from 0.4 to 1, but not of the way from 0.5 to 1.
    expect(await similarFrom(0)).toContain("1");
    expect(await similarFrom(0.4)).toContain("1");
    expect(await similarFrom(0.5)).not.toContain("1");
  });

  test("only wordings with words, of an agent with several wordings, are compared, and their words have no mark", () => {
    const wordings = [wordingOf("The room is free.", "A"), wordingOf("Money back.", "A"), wordingOf("Salmon.", "B")];
    const compared = wordsToCompare([...wordings, wordingOf("7 8", "A"), wordingOf(null, null)]);
    expect([...compared.values()].map(({ words }) => words)).toEqual(["room free", "money back"]);
    expect(wordsToCompare(["one thing", "another"]).size).toBe(2);
  });
});

/** Wordings without a common word, so that only their meaning can join them. */
const WORDINGS = Array.from({ length: 12 }, (_, index) =>
  [..."abc"].map((letter) => letter.repeat(index + 3)).join(" "),
);

describe("groups", () => {
  test("are the same with the same ids in any order of arrival, in any order in which vectors arrive, and from the beginning", async () => {
    const order = fc.array(fc.nat(11), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(vectorsOfWordings, order, order, async (all, arrivals, vectors) => {
        const inOrder = (first: readonly number[]) =>
          [...new Set([...first, ...all.keys()])].filter((index) => index < all.length);
        const together = await play(all, [{ arrive: inOrder([]), reveal: inOrder([]) }]);
        const apart = [
          ...inOrder(arrivals).map((index) => ({ arrive: [index], reveal: vectors.slice(0, 2) })),
          ...inOrder(vectors).map((index) => ({ arrive: [], reveal: [index] })),
        ];
        expect(await play(all, apart)).toEqual(together);
        const known = WORDINGS.slice(0, all.length);
        const isSame = (one: number[], other: number[]) => cosine(one, other) >= SETTINGS.similarity;
        const expected = joinedByMeaning(
          known.map((wording) => [wording]),
          (wording) => known.filter((_, index) => isSame(all[index]!, all[known.indexOf(wording)]!)),
        );
        const shown = (groups: string[][]) => groups.map((each) => each.toSorted().join(", ")).toSorted();
        expect(shown(together.map(({ wordings }) => wordings))).toEqual(shown(expected.map((each) => each.flat())));
        for (const { wordings, byMeaning } of together) expect(byMeaning).toBe(wordings.length - 1);
      }),
    );
  });

  test("of similar words are not counted as joined by meaning, and the largest part by words joins the others", () => {
    const wordings = ["cannot find booking", "cannot find any booking", "no trace of it"];
    expect(componentsOf(wordings)).toHaveLength(2);
    const rows = wordings.map((wording, minute): WordingRow => row(wording, null, minute, minute === 2 ? 5 : 2));
    const meaning = { sameAs: () => wordings, revealed: new Set<string>() };
    expect(groupsOf(rows, new Map(), new Map(), meaning)).toMatchObject([{ byMeaning: 4 }]);
    expect(groupsOf(rows, new Map(), new Map()).map(({ byMeaning }) => byMeaning)).toEqual([0, 0]);
  });

  test("that waited for their meaning do not decide about the group that they join; older open groups do", () => {
    const open: GroupDecision = {
      state: "open",
      resolved_at: null,
      resolved_by: null,
      resolved_except: "[]",
      regressed_at: null,
    };
    const rows = [row("one two", "grp_1", 1), row("three four", "grp_2", 2)];
    const states = (first: GroupDecision, second: GroupDecision, ...revealed: string[]) => {
      const former = new Map([
        ["grp_1", first],
        ["grp_2", second],
      ]);
      const arrived = new Map([["three four", [{ startedAt: at(2), agentVersion: "41" }]]]);
      const meaning = { sameAs: () => ["one two", "three four"], revealed: new Set(revealed) };
      const [group] = groupsOf(rows, former, revealed.length === 0 ? new Map() : arrived, meaning);
      return [group!.decision.state, group!.happened];
    };
    const ignored = { ...open, state: "ignored" as const };
    const resolvedAt = (minute: number, except = "[]") =>
      ({ ...open, state: "resolved", resolved_at: at(minute), resolved_except: except }) as const;
    expect(states(ignored, open)).toEqual(["open", null]);
    expect(states(ignored, open, "three four")).toEqual(["ignored", null]);
    expect(states(ignored, open, "one two", "three four")).toEqual(["ignored", null]);
    expect(states(open, ignored, "three four")).toEqual(["open", null]);
    expect(states(open, open, "one two", "three four")).toEqual(["open", null]);
    expect(states(resolvedAt(5), open, "three four")).toEqual(["resolved", null]);
    expect(states(resolvedAt(1), open, "three four")).toEqual(["open", "regressed"]);
    expect(states(resolvedAt(1, '["41"]'), open, "three four")).toEqual(["resolved", null]);
    // A group that came back is a decision, although it is open.
    expect(states(ignored, { ...open, resolved_at: at(0), regressed_at: at(2) }, "three four")).toEqual(["open", null]);
  });
});

function row(wording: string, groupId: string | null, minute: number, size = 1): WordingRow {
  const oldest = anchorOf(PLACE, at(minute), wording);
  return { wording, groupId, isCompared: true, size, oldest, newest: at(minute) };
}

/** Groups step by step as the store does: first some wordings arrive, then some of the known wordings get their vectors. */
async function play(all: readonly number[][], steps: readonly { arrive: number[]; reveal: number[] }[]) {
  const { compare } = createMeaning(SETTINGS, 20);
  const groupIds = new Map<number, string | null>();
  const revealed = new Set<number>();
  let former = new Map<string, GroupDecision>();
  let groups: ReturnType<typeof groupsOf> = [];
  const regroup = async () => {
    const rows = [...groupIds].map(([index, groupId]) => row(WORDINGS[index]!, groupId, index));
    const vectors = new Map([...revealed].map((index) => [WORDINGS[index]!, textOfVector(vectorOf(all[index])!)]));
    const sameAs = await compare("thing", 0, vectors, async () => vectors);
    groups = groupsOf(rows, former, new Map(), { sameAs, revealed: new Set() });
    former = new Map(groups.map(({ id, decision }) => [id, decision]));
    for (const { id, wordings } of groups)
      for (const { wording } of wordings) groupIds.set(WORDINGS.indexOf(wording), id);
  };
  for (const { arrive, reveal } of steps) {
    for (const index of arrive) groupIds.set(index, null);
    await regroup();
    for (const index of reveal) if (groupIds.has(index)) revealed.add(index);
    await regroup();
  }
  return groups
    .map(({ id, wordings, byMeaning }) => ({ id, byMeaning, wordings: wordings.map(({ wording }) => wording).sort() }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

import type { RunGrid, Simulation } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { pairsOf, sideBySide } from "../../packages/web/src/runs/side-by-side.ts";

type Said = [role: "caller" | "agent", text: string | null];

const played = (said: Said[], toolCalls: Partial<Simulation["toolCalls"][number]>[] = []) => ({
  turns: said.map(([role, text], index) => ({
    index,
    role,
    text,
    startedAt: new Date(1_000 * index).toISOString(),
    endedAt: new Date(1_000 * index + 250).toISOString(),
  })),
  toolCalls: toolCalls.map((call) =>
    Object.assign(
      { turnIndex: 1, name: "book", arguments: {}, result: null, error: null, mocked: true, durationMs: 5 },
      call,
    ),
  ),
});

const shortly = (rows: ReturnType<typeof sideBySide>) =>
  rows.map(({ first, second, isDifferent }) => {
    const text = (side: typeof first) => side?.words?.map(({ text }) => text).join("") ?? "–";
    return `${text(first)} | ${text(second)}${isDifferent ? " !" : ""}`;
  });

describe("two transcripts side by side", () => {
  test("equal conversations have no different row, whatever their times", () => {
    const one = played([
      ["caller", "Hello."],
      ["agent", "Good  day."],
    ]);
    const other = played([
      ["caller", "Hello."],
      ["agent", "Good day."],
    ]);
    expect(shortly(sideBySide(one, other))).toEqual(["Hello. | Hello.", "Good day. | Good day."]);
  });

  test("the words that the other side did not say are marked, and each turn has its time", () => {
    const [, row] = sideBySide(
      played([
        ["caller", "Hello."],
        ["agent", "You are booked for Monday."],
      ]),
      played([
        ["caller", "Hello."],
        ["agent", "I am sorry, you are booked for Sunday."],
      ]),
    );
    expect(row!.isDifferent).toBe(true);
    const marked = (words: { text: string; isDifferent: boolean }[] | null | undefined) =>
      words?.filter(({ isDifferent }) => isDifferent).map(({ text }) => text.trim());
    expect(marked(row!.first?.words)).toContain("Monday");
    expect(marked(row!.second?.words)).toContain("Sunday");
    expect(row!.first).toMatchObject({ atMs: 1_000, durationMs: 250 });
  });

  test("the same words with another answer of a tool are a difference, and only that call is marked", () => {
    const said: Said[] = [
      ["caller", "A room, please."],
      ["agent", "One moment."],
    ];
    const calls = [{ name: "check" }, { name: "book", result: "ok" }];
    const failing = [{ name: "check" }, { name: "book", result: null, error: "503" }];
    const rows = sideBySide(played(said, calls), played(said, failing));
    expect(rows.map(({ isDifferent }) => isDifferent)).toEqual([false, true]);
    expect(rows[1]!.second!.tools.map(({ isDifferent }) => isDifferent)).toEqual([false, true]);
  });

  test("a second turn of one side stands alone, and the following turns stay beside each other", () => {
    const one = played([
      ["caller", "Hello."],
      ["agent", "Good day."],
      ["agent", "How can I help?"],
      ["caller", "A room."],
    ]);
    const other = played([
      ["caller", "Hello."],
      ["agent", "Good day."],
      ["caller", "A room."],
      ["agent", "For when?"],
    ]);
    expect(shortly(sideBySide(one, other))).toEqual([
      "Hello. | Hello.",
      "Good day. | Good day.",
      "How can I help? | – !",
      "A room. | A room.",
      "– | For when? !",
    ]);
    expect(shortly(sideBySide(other, one))).toEqual([
      "Hello. | Hello.",
      "Good day. | Good day.",
      "– | How can I help? !",
      "A room. | A room.",
      "For when? | – !",
    ]);
  });

  test("the greeting of one agent stands alone", () => {
    const greets = played([
      ["agent", "Reception."],
      ["caller", "Hello."],
    ]);
    const waits = played([["caller", "Hello."]]);
    expect(shortly(sideBySide(greets, waits))).toEqual(["Reception. | – !", "Hello. | Hello."]);
    expect(shortly(sideBySide(waits, greets))).toEqual(["– | Reception. !", "Hello. | Hello."]);
  });

  test("unknown words are the same as unknown words, and differ from known ones", () => {
    const [unknown, known] = [played([["agent", null]]), played([["agent", "Hello."]])];
    expect(sideBySide(unknown, unknown)[0]!.isDifferent).toBe(false);
    expect(shortly(sideBySide(unknown, known))).toEqual(["– | Hello. !"]);
    expect(sideBySide(played([]), played([]))).toEqual([]);
  });

  test("only simulations of the same test version, persona and iteration are a pair", () => {
    const grid = (run: string, versions: string[], iterations: number): RunGrid => ({
      personas: [{ personaId: "calm", personaName: "Calm" }],
      tests: versions.map((testVersionId) => ({
        ...({ testId: "t", testVersionId, testVersion: 1, testName: "Books" } as RunGrid["tests"][number]),
        simulations: Array.from({ length: iterations }, (_, index) => ({
          id: `${run} ${testVersionId} ${index + 1}`,
          personaId: "calm",
          iteration: index + 1,
          status: "completed" as const,
          verdict: run === "second" && index === 0 ? ("failed" as const) : ("passed" as const),
          behaviorsGraded: 1,
          behaviorCount: 1,
        })),
      })),
    });
    const pairs = pairsOf(grid("first", ["a", "b"], 2), grid("second", ["b", "c"], 3));
    expect(pairs.map(({ firstId, secondId, flipped }) => [firstId, secondId, flipped])).toEqual([
      ["first b 1", "second b 1", true],
      ["first b 2", "second b 2", false],
    ]);
    expect(pairs[0]).toMatchObject({ testName: "Books", personaName: "Calm", iteration: 1 });
  });
});

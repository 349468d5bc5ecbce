import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUALITY_TOPICS, type Trace } from "@svc/contract";
import { qualityCard } from "../../packages/cli/src/traces/quality-card.ts";
import { type Column, hang, table } from "../../packages/cli/src/terminal/output.ts";
import { asRefusal } from "../../packages/cli/src/refusal.ts";
import { clean, cleaned, fit, jsonText, width } from "../../packages/cli/src/terminal/terminal-text.ts";
import { ago, clock, duration, instant } from "../../packages/cli/src/terminal/times.ts";
import { commandLine } from "../../packages/cli/src/version.ts";
import { messageInStatus, spansInRequest } from "../../packages/sdk/src/otlp-protobuf.ts";

const anyText = fc.string({ unit: "binary" });

test("a cleaned text has no control characters except tab and line feed, and loses nothing else", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const left = clean(text);
      expect(left).not.toMatch(/[^\P{Cc}\t\n]|\p{Bidi_Control}/u);
      expect(clean(left)).toBe(left);
      expect([...text].filter((character) => left.includes(character)).join("")).toBe(left);
    }),
  );
});

test("a cleaned value has clean members and clean names of members", () => {
  expect(cleaned({ "a\u001b": ["b\u0007", { c: 1, d: null, e: "f\ng" }] })).toEqual({
    a: ["b", { c: 1, d: null, e: "f\ng" }],
  });
});

test("JSON for a terminal has no control characters except line feed, and parses to the same value", () => {
  fc.assert(
    fc.property(fc.dictionary(anyText, anyText), (value) => {
      const text = jsonText(value);
      expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("a fitted text is at most as wide as the limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      expect(width(fit(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
  expect([fit("abcdef", 4), fit("日本語", 4), width("日本"), width("e\u0301"), width("𠮷野")]).toEqual([
    "abc…",
    "日…",
    4,
    1,
    4,
  ]);
});

test("a text wraps between words, and next to any character of a script without spaces, and its lines fit the width", () => {
  expect(hang("one two three four five", 2, 22)).toBe("one two three four\n  five");
  expect(hang("お電話ありがとうございます。", 2, 22)).toBe("お電話ありがとうござ\n  います。");
  expect(hang(`see https://svc.example.com/a-long-path 👍🏽`, 0, 20)).toBe(
    "see\nhttps://svc.example.com/a-long-path\n👍🏽",
  );
  expect(hang("one two three four five", 2, 22, 12)).toBe("one two\n  three four five");
  const scripts = fc.stringMatching(/^[a-z 日本語𠮷👍]{0,200}$/u);
  fc.assert(
    fc.property(scripts, fc.integer({ min: 24, max: 90 }), (text, columns) => {
      const lines = hang(text, 4, columns).split("\n    ");
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      for (const line of lines.filter((one) => /[^a-z ]/.test(one))) expect(width(line)).toBeLessThanOrEqual(columns);
    }),
  );
});

test("a table aligns its columns, numbers to the right, and has an empty state", () => {
  const shape = [
    { title: "name", cell: (row: { name: string; count: number }) => row.name },
    { title: "count", cell: (row: { count: number }) => String(row.count), right: true },
    { title: "last", cell: () => "two\nlines" },
  ];
  const rows = [
    { name: "日本", count: 7 },
    { name: "a", count: 12 },
  ];
  expect(table(rows, shape, "None.")).toBe(
    ["NAME  COUNT  LAST", "日本      7  two lines", "a        12  two lines"].join("\n"),
  );
  expect(table([], shape, "None.")).toBe("None.");
});

test("a table that is too wide for the terminal omits spare columns, and the last column fills the rest", () => {
  const row = { id: "0123456789", agent: "clinic", turns: 7 };
  const shape: Column<typeof row>[] = [
    { title: "id", cell: ({ id }) => id },
    { title: "agent", cell: ({ agent }) => agent, spare: 1 },
    { title: "turns", cell: ({ turns }) => String(turns), right: true, spare: 2 },
    { title: "said", cell: (_row, room) => "x".repeat(Math.min(room, 30)) },
  ];
  const said = (columns: number) => table([row], shape, "None.", columns).split("\n");
  expect(said(60)).toEqual(["ID          AGENT   TURNS  SAID", `0123456789  clinic      7  ${"x".repeat(30)}`]);
  expect(said(40)).toEqual(["ID          AGENT   SAID", `0123456789  clinic  ${"x".repeat(20)}`]);
  expect(said(30)).toEqual(["ID          SAID", `0123456789  ${"x".repeat(18)}`]);
});

test("a table is at most as wide as the terminal for any names, and cuts no id", () => {
  const shape: Column<{ id: string; name: string; said: string }>[] = [
    { title: "id", cell: ({ id }) => id },
    { title: "name", cell: ({ name }) => name, cut: true },
    { title: "number", cell: () => "7", right: true },
    { title: "said", cell: ({ said }) => said },
  ];
  const written = fc.string({ unit: "grapheme", maxLength: 300 });
  const row = fc.record({ id: fc.stringMatching(/^[a-z0-9]{30}$/), name: written, said: written });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 74, max: 200 }), (rows, columns) => {
      const lines = table(rows, shape, "None.", columns).split("\n");
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
      expect(lines.slice(1).map((line) => line.slice(0, 30))).toEqual(rows.map(({ id }) => id));
    }),
  );
  const [long, short] = ["n".repeat(99), "m".repeat(20)];
  const rowOf = (columns: number, name: string, said: string) =>
    table([{ id: "1", name, said }], shape, "None.", columns).split("\n")[1];
  expect(rowOf(80, long, short)).toBe(`1   ${"n".repeat(45)}…       7  ${short}`);
  expect(rowOf(80, short, long)).toBe(`1   ${short}       7  ${"n".repeat(45)}…`);
  expect(rowOf(80, long, long)).toBe(`1   ${"n".repeat(39)}…       7  ${"n".repeat(25)}…`);
  expect(rowOf(Infinity, long, long)).toBe(`1   ${long}       7  ${long}`);
});

test("a character of several code points is measured and cut as one", () => {
  expect(["👩‍👩‍👧", "🇩🇪", "❤️", "👍🏽", "क्षि"].map(width)).toEqual([2, 2, 2, 2, 1]);
  expect(fit("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5)).toBe("👩‍👩‍👧👩‍👩‍👧…");
});

describe("times", () => {
  const now = Date.parse("2026-11-21T12:00:00.000Z");

  test("times are printed in words", () => {
    const at = (ms: number) => ago(new Date(now - ms).toISOString(), now);
    expect([at(5_000), at(90_000), at(5 * 3_600_000), at(3 * 86_400_000), at(90 * 86_400_000), at(-3_600_000)]).toEqual(
      ["just now", "1 min ago", "5 h ago", "3 d ago", "2026-08-23", "2026-11-21"],
    );
    expect([null, 0, 420.4, 4_250, 59_990, 65_000, 3_900_000].map(duration)).toEqual([
      "?",
      "0 ms",
      "420 ms",
      "4.2 s",
      "59.9 s",
      "1 min 05 s",
      "1 h 05 min",
    ]);
    expect([0, 64_250, -250].map(clock)).toEqual(["0:00.0", "1:04.2", "-0:00.2"]);
  });

  test("times are parsed in relative and in ISO 8601 form, and other texts are refused", () => {
    expect(["90m", "2h", "2026-11-21T09:30:00+01:00"].map((text) => instant(text, now))).toEqual([
      "2026-11-21T10:30:00.000Z",
      "2026-11-21T10:00:00.000Z",
      "2026-11-21T08:30:00.000Z",
    ]);
    for (const text of ["", "1", "h", "yesterday", "2026-99-99", "9999999d"])
      expect(() => instant(text, now)).toThrow("is not a time");
  });
});

test("any bytes can be parsed as protobuf without a fault, and the time grows only with their length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const spans = spansInRequest(bytes);
      expect(spans === undefined || spans <= bytes.length).toBe(true);
      messageInStatus(bytes);
    }),
    { numRuns: 500 },
  );
});

test("an error that is not a refusal is a fault of the program", () => {
  expect(asRefusal(new TypeError("x is not a function"))).toMatchObject({ code: "fault", exitCode: 70 });
});

test("the quality card shows the sentence of every problem that the service reports", () => {
  const notes = QUALITY_TOPICS.map((about) => ({ about, sentence: `Problem with ${about}.` }));
  const quality = { notes, unmappedKeys: [], unmappedKeyCount: 0, contentWithheld: false, lateSpans: false };
  const card = qualityCard({ vocabulary: "platform_b", quality, spansTruncated: true } as unknown as Trace);
  for (const { sentence } of notes) expect(card).toContain(sentence);
});

describe("the name of the command line in texts", () => {
  const checkout = join(import.meta.dirname, "../..");

  test.each([
    ["of an installed program", false, checkout, "in a terminal", "svc"],
    ["of a checkout, in its folder", true, checkout, "in this folder", "npx --no -- svc"],
    ["of a checkout, in another folder", true, "/", "in a terminal", join(checkout, "node_modules/.bin/svc")],
    [
      "of a checkout, in a folder of it",
      true,
      join(checkout, "docs"),
      "in a terminal",
      join(checkout, "node_modules/.bin/svc"),
    ],
  ])("the command %s", (_, isSource, folder, place, command) => {
    expect(commandLine(isSource, folder)).toEqual({ place, command });
  });
});

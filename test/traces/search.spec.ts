import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ingest, noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";

let ingest: Ingest;
beforeEach(async () => void (ingest = await openIngest()));
afterEach(() => ingest.close());

async function found(search: string): Promise<string[]> {
  const sort = { by: "startedAt", descending: true } as const;
  const request = { project: 1, limit: 100, sort, after: undefined, filters: { ...noFilters, search } };
  return (await ingest.store.reader.list(request)).rows.map(({ traceId }) => traceId);
}

const named = (trace: number, number: number, ...attributes: [key: string, value: string][]) =>
  spanOf(trace, number, { attributes: attributes.map(([key, value]) => attribute(key, value)) });

describe("a search", () => {
  test("a search finds a conversation by an earlier name after a stronger one has replaced it, read again or not", async () => {
    await ingest.take(1, [named(1, 1, ["room_id", "RM_Frühstück"])]);
    await ingest.intake.drain();
    expect((await ingest.traces())[0]!.conversation).toBe("RM_Frühstück");
    await ingest.take(1, [named(1, 0, ["lk.job_id", "AJ_77"])]);
    await ingest.intake.loaded();
    const names = ["rm_frühstück", "RM_Früh", "aj_77"];
    for (const name of names.slice(0, 2)) expect(await found(name)).toEqual([traceIdOf(1)]);
    await ingest.intake.drain();
    expect((await ingest.traces())[0]!.conversation).toBe("AJ_77");
    for (const name of names) expect(await found(name)).toEqual([traceIdOf(1)]);
  });

  test.each([
    ["session id", named(1, 1, ["session.id", "sess-4411"], ["svc.session_id", "strong"]), "sess-4411"],
    ["room name", named(1, 1, ["svc.room_name", "Room of Zoë"], ["lk.job_id", "strong"]), "room of zoë"],
    ["status message", spanOf(1, 1, { status: { code: 2, message: "Quota of model exceeded" } }), "quota OF model"],
    [
      "exception",
      spanOf(1, 1, {
        status: { code: 2 },
        events: [{ name: "exception", attributes: [attribute("exception.type", "APITimeoutError")] }],
      }),
      "apitimeouterror",
    ],
  ])("a search finds a conversation by its %s", async (_, span, search) => {
    await ingest.take(1, [span, spanOf(2, 1)]);
    await ingest.intake.drain();
    expect(await found(search)).toEqual([traceIdOf(1)]);
  });

  const said = (trace: number, number: number, text: string) =>
    spanOf(trace, number, { name: "user_turn", attributes: [attribute("lk.user_transcript", text)] });
  const matchOf = async (search: string) => {
    const sort = { by: "startedAt", descending: true } as const;
    const request = { project: 1, limit: 9, sort, after: undefined, filters: { ...noFilters, search } };
    const [match] = (await ingest.store.reader.list(request)).matches;
    return match && { ...match, found: match.text.slice(match.start, match.end) };
  };

  test("a search has the words of the turn around its first match, in any alphabet, and the place of the match", async () => {
    await ingest.take(1, [
      named(1, 0, ["lk.job_id", "AJ_9"], ["gen_ai.agent.name", "Clinic"], ["svc.room_name", "Room 7"]),
      said(1, 1, "Guten Tag."),
      said(1, 2, "Ein Tisch für zwei 🍽 bitte, am Freitag."),
      said(1, 3, `${"lang ".repeat(40)}Ziel${" weit".repeat(40)}`),
      said(1, 4, "Freitag."),
    ]);
    await ingest.intake.drain();
    expect(await matchOf("FREITAG")).toEqual({
      in: "turns",
      text: "ein tisch für zwei 🍽 bitte, am freitag.",
      start: 32,
      end: 39,
      found: "freitag",
    });
    expect(await matchOf("Tisch fu\u0308r")).toMatchObject({ start: 4, found: "tisch f\u00fcr" });
    const long = await matchOf("ziel");
    expect(long).toMatchObject({ in: "turns", found: "ziel", start: 81 });
    expect(long!.text).toMatch(/^…(lang ){16}ziel( weit){16}…$/);
    expect(await matchOf("room 7")).toMatchObject({ in: "names", found: "room 7" });
    expect(await matchOf("clinic"), "the name of the agent is no place").toBeNull();
  });

  test("a search for two lines that follow each other has no words around them but those of the lines", async () => {
    await ingest.take(1, [said(1, 1, "One."), said(1, 2, "Two words."), said(1, 3, "Three words.")]);
    await ingest.intake.drain();
    expect(await matchOf("words.\nthree")).toMatchObject({ text: "two words.\nthree words.", found: "words.\nthree" });
  });
});

test("conversations that start in the same millisecond are listed in the order of their nanoseconds", async () => {
  const start = 1_795_251_159_000_000_000n;
  const nanoseconds = [7n, 999_999n, 3n, 500_000n, 0n];
  for (const [trace, ns] of nanoseconds.entries())
    await ingest.take(1, [spanOf(trace + 1, 0, { startTimeUnixNano: String(start + ns) })]);
  await ingest.intake.drain();
  expect((await ingest.traces()).map(({ startedNs }) => startedNs - start)).toEqual([999_999n, 500_000n, 7n, 3n, 0n]);
});

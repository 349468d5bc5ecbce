import type { ListedTrace } from "@svc/contract";
import { describe, expect, test } from "vitest";
import {
  hasFilters,
  inputOf,
  isNewestFirst,
  readListSearch,
  withoutFilters,
} from "../../packages/web/src/conversations/list-search.ts";
import { argumentsText, cut, shownText } from "../../packages/web/src/conversations/shown-text.ts";
import { countNew, rowsOf, withNewest } from "../../packages/web/src/conversations/use-list.ts";

const trace = (traceId: string, state: ListedTrace["state"] = "final") =>
  ({ traceId, state, lastReceivedAt: "2026-11-22T06:00:00.000Z" }) as ListedTrace;
const page = (ids: string[], nextPageToken: string | null = "more") => ({
  traces: ids.map((id) => trace(id)),
  nextPageToken,
});
const ids = (rows: readonly ListedTrace[]) => rows.map(({ traceId }) => traceId);

describe("the filters in the address", () => {
  test("the filters of the list keep known values and leave out unknown ones", () => {
    const search = readListSearch({
      from: "2026-11-15",
      slow: "2000",
      interrupted: "true",
      status: "odd",
      note: "content",
      ending: "user_hangup",
      channel: "telephone",
      sort: "x",
    });
    expect(search).toMatchObject({
      from: "2026-11-15T00:00:00.000Z",
      slow: 2_000,
      note: "content",
      status: undefined,
      sort: undefined,
    });
    expect(inputOf(search)).toEqual({
      from: "2026-11-15T00:00:00.000Z",
      slowerThanMs: 2_000,
      interrupted: true,
      quality: "content",
      ending: "user_hangup",
      channel: "telephone",
    });
    expect(inputOf(readListSearch({ channel: "phone" }))).toEqual({});
  });

  test("a reload keeps every filter, including those that the router reads as numbers and booleans", () => {
    const address = { withoutAgent: true, interrupted: false, slow: 2_000, agent: 7, search: 503 };
    expect(inputOf(readListSearch(address))).toEqual({
      withoutAgent: true,
      interrupted: false,
      slowerThanMs: 2_000,
      agent: "7",
      search: "503",
    });
  });

  test("an order is no filter and stays when the filters go", () => {
    const search = readListSearch({ sort: "-latency", agent: "clinic" });
    expect(hasFilters(search)).toBe(true);
    expect(hasFilters(withoutFilters(search))).toBe(false);
    expect(withoutFilters(search).sort).toBe("-latency");
    expect(isNewestFirst(search)).toBe(false);
  });
});

describe("the rows of the list", () => {
  test("new conversations come at the top, each once", () => {
    const before = { pages: [page(["c", "b"]), page(["a"], null)], pageParams: [undefined, "more"] };
    const newest = page(["e", "d", "c"]);
    expect(countNew(rowsOf(before.pages), newest.traces)).toBe(2);
    const after = withNewest(before, newest);
    expect(ids(rowsOf(after.pages))).toEqual(["e", "d", "c", "b", "a"]);
    expect(withNewest(after, newest).pages.map(({ traces }) => traces.length)).toEqual([4, 1]);
  });

  test("a list with a gap before the newest page begins again with that page", () => {
    const before = { pages: [page(["b", "a"])], pageParams: [undefined] };
    expect(ids(rowsOf(withNewest(before, page(["z", "y"])).pages))).toEqual(["z", "y"]);
  });

  test("a conversation whose state changed keeps its place in the list", () => {
    const live = { traces: [trace("b"), trace("a", "provisional")], nextPageToken: null };
    const after = withNewest({ pages: [live], pageParams: [undefined] }, page(["b", "a"], null));
    expect(rowsOf(after.pages).map(({ traceId, state }) => [traceId, state])).toEqual([
      ["b", "final"],
      ["a", "final"],
    ]);
  });
});

describe("texts of strangers", () => {
  test("control characters are pictures, and line breaks stay", () => {
    expect(shownText("a\u0000b\u001b[31m\u007f\nc\td\u0085")).toBe("a␀b␛[31m␡\nc\td\uFFFD");
  });

  test("a cut text ends with an ellipsis and never with half a character", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("ab😀cd", 4)).toBe("ab…");
  });

  test("arguments are one short line whatever they hold", () => {
    expect(argumentsText({ day: "Monday", nights: 2 })).toBe("day=Monday, nights=2");
    expect(argumentsText({ text: "W".repeat(100_000) }).length).toBeLessThanOrEqual(160);
    expect(argumentsText(null)).toBe("");
  });
});

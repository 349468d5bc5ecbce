import { describe, expect, test } from "vitest";
import { countOf, oneOf, textOf } from "../../packages/web/src/search-params.ts";

describe("search parameters", () => {
  test("a text that looks like a number or a boolean stays a text", () => {
    expect([textOf(503), textOf(true), textOf("hotel")]).toEqual(["503", "true", "hotel"]);
  });

  test("an empty, a missing or a repeated parameter is no text", () => {
    expect([textOf(""), textOf(undefined), textOf(["a", "b"])]).toEqual([undefined, undefined, undefined]);
  });

  test("a choice in the address of a page is one of its values, even when the router read it as a boolean", () => {
    expect([oneOf(["true"], true), oneOf(["a", "b"], "b"), oneOf(["a", "b"], "c")]).toEqual(["true", "b", undefined]);
  });

  test("a count in the address of a page is a whole number of at least 0", () => {
    expect([countOf(3), countOf("12"), countOf(-1), countOf("1.5"), countOf("x")]).toEqual([3, 12, ...Array(3)]);
  });
});

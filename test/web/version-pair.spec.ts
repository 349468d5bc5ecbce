import { describe, expect, test } from "vitest";
import { pairOf } from "../../packages/web/src/editing/versions-card.tsx";

describe("the versions that a page compares", () => {
  test("the versions that a page compares are the newest two, unless the address names others", () => {
    expect(pairOf([3, 2, 1])).toEqual({ from: 2, to: 3 });
    expect(pairOf([3, 2, 1], 1, 2)).toEqual({ from: 1, to: 2 });
    expect(pairOf([3, 2, 1], undefined, 2)).toEqual({ from: 1, to: 2 });
  });

  test("the versions that a page compares are those that exist", () => {
    expect(pairOf([3, 2, 1], 9, 17)).toEqual({ from: 2, to: 3 });
  });

  test("the versions that a page compares do not exist while there is one version", () => {
    expect(pairOf([1], 1, 1)).toBeUndefined();
    expect(pairOf([])).toBeUndefined();
  });
});

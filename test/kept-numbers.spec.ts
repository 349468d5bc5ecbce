import { isKeptNumber, LIMITS, lostNumbers } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const KEPT = ["0", "-0", "1.0", "1e2", "1E+2", "0.1", "9007199254740992", "1.7976931348623157e308", "5e-324", "1e21"];
const LOST = ["12345678901234567890", "9007199254740993", "1e400", "-1e400", "1e-400", "0.1000000000000000055"];

describe("a number in JSON", () => {
  test.each(KEPT)("a number in JSON keeps its value: %s", (literal) => {
    expect(isKeptNumber(literal)).toBe(true);
  });

  test.each(LOST)("a number in JSON loses its value: %s", (literal) => {
    expect(isKeptNumber(literal)).toBe(false);
  });

  test("a number in JSON that a program wrote from a double keeps its value", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, (value) => isKeptNumber(JSON.stringify(value))),
      { numRuns: 5_000 },
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => lostNumbers(JSON.stringify(value)).length === 0));
  });

  test("a number in JSON that loses its value is found at its path, between any other values", () => {
    const step = fc.oneof(fc.nat(3), fc.constantFrom("a", 'with "quotes"', "1e400", "{", ",", "é", "\\"));
    const other = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.constantFrom(...LOST), fc.array(step, { maxLength: 5 }), other, (number, path, before) => {
        const json = path.reduceRight(
          (inner: string, key) =>
            typeof key === "number"
              ? `[ ${`${before} ,`.repeat(key)}${inner}, 1 ]`
              : `{"z": ${before}, ${JSON.stringify(key)} : ${inner}, "y": "1e999"}`,
          number,
        );
        expect(() => JSON.parse(json) as unknown).not.toThrow();
        expect(lostNumbers(json)).toEqual([path.join(".")]);
      }),
    );
  });

  test("a number in JSON may have a million digits", () => {
    const zeros = "0".repeat(1_000_000);
    for (const literal of [`1${zeros}1`, `0.${zeros}1`]) expect(isKeptNumber(literal)).toBe(false);
    expect(lostNumbers(`["${"\\\\".repeat(500_000)}", 1.5e1, 1e999]`)).toEqual(["2"]);
  });

  test("a number in JSON is named up to the number of issues that an answer shows, and the rest is not searched", () => {
    const many = JSON.stringify({ a: 0 }).replace("0", `[${"1e999,".repeat(60)}1]`);
    expect(lostNumbers(many)).toEqual(Array.from({ length: LIMITS.issuesShown }, (_, at) => `a.${at}`));
  });

  test("a number in JSON below long names is named by a path that is cut", () => {
    const name = "k".repeat(5_000);
    const [path, ...others] = lostNumbers(`{"${name}":[1e999]}`);
    expect(path).toBe(`${"k".repeat(LIMITS.issuePathCharacters - 1)}…`);
    expect(others).toEqual([]);
    expect(lostNumbers(`${'{"a":'.repeat(500)}1e999${"}".repeat(500)}`)[0]).toHaveLength(LIMITS.issuePathCharacters);
    expect(lostNumbers(`{"${"k".repeat(LIMITS.issuePathCharacters)}":1e999}`)).toEqual([
      "k".repeat(LIMITS.issuePathCharacters),
    ]);
    expect(lostNumbers(`{"${"k".repeat(LIMITS.issuePathCharacters - 2)}😀":1e999}`)[0]).toMatch(/k😀$/);
    expect(lostNumbers(`{"${"k".repeat(LIMITS.issuePathCharacters - 2)}😀k":1e999}`)[0]!.isWellFormed()).toBe(true);
  });
});

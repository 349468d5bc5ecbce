import { ID_PREFIXES, type IdPrefix, idPattern } from "@svc/contract";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newId } from "../packages/server/src/base/ids.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const valueOf = (id: string) =>
  Array.from(id.split("_")[1]!).reduce((value, digit) => value * 32n + BigInt(CROCKFORD.indexOf(digit)), 0n);

afterEach(() => void vi.useRealTimers());

describe("an id", () => {
  test.each(Object.keys(ID_PREFIXES) as IdPrefix[])(
    "an id with the prefix %s has 26 characters after the prefix",
    (prefix) => {
      expect(newId(prefix)).toMatch(idPattern(prefix));
    },
  );

  test("an id is a UUIDv7: the time in milliseconds, version 7, variant 2", () => {
    const before = BigInt(Date.now());
    const value = valueOf(newId("tst"));
    const ms = value >> 80n;
    expect(ms >= before && ms <= BigInt(Date.now()) + 1n).toBe(true);
    expect((value >> 76n) & 15n).toBe(7n);
    expect((value >> 62n) & 3n).toBe(2n);
    expect(value < 1n << 128n).toBe(true);
  });

  test("ids sort as text in the order of their creation, also within a millisecond, and are unique", () => {
    const ids = Array.from({ length: 50_000 }, () => newId("tst"));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("ids keep their order when the clock steps back", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 10_000);
    const ahead = newId("tst");
    vi.setSystemTime(Date.now() - 3_600_000);
    const ids = [ahead, ...Array.from({ length: 1_000 }, () => newId("tst"))];
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});

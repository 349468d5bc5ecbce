import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { common, covers, languagesOf, toTag } from "../../packages/server/src/voice/capabilities/language-tag.ts";

describe("a language tag", () => {
  test.each([
    ["en", "en"],
    ["EN-gb", "en-GB"],
    ["en-UK", "en-GB"],
    ["es-419", "es-419"],
    ["zh-Hans", "zh"],
    ["zh-Hant-TW", "zh-TW"],
    ["cmn-Hans-CN", "zh-CN"],
    ["cmn", "zh"],
    ["zh-yue", "yue"],
    ["zh-yue-HK", "yue-HK"],
    ["iw-IL", "he-IL"],
    ["jw", "jv"],
    ["tl", "fil"],
    ["fil", "fil"],
    ["nb-NO", "no-NO"],
    ["nn", "no"],
    ["eng", "en"],
    ["zho", "zh"],
    ["arb", "ar"],
    ["ca-ES-valencia", "ca-ES"],
    ["en-u-ca-buddhist", "en"],
    ["mi-NZ", "mi-NZ"],
    ["xx", "xx"],
  ])("%s becomes %s", (text, tag) => expect(toTag(text)).toBe(tag));

  test.each(["", " ", "e", "en_US", "english please", "und", "x-private", "en-", "multi-lingual-x", "abcdefghi", "🙂"])(
    "%j is not a language tag",
    (text) => expect(toTag(text)).toBeUndefined(),
  );

  test("a tag in its normal form stays unchanged", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{2,3}(-[A-Z]{2})?$/), (text) => {
        const tag = toTag(text);
        expect(tag === undefined ? undefined : toTag(tag)).toBe(tag);
      }),
    );
  });
});

describe("a list of languages", () => {
  test.each([
    [["en", "fr"], "en", true],
    [["en", "fr"], "en-NZ", true],
    [["en-US", "en-GB"], "en", true],
    [["en-US", "en-GB"], "en-GB", true],
    [["en-US", "en-GB"], "en-NZ", false],
    [["zh-Hans"], "cmn-TW", true],
    [["no"], "nb-NO", true],
    [["fil"], "tl", true],
    [["multi", "ar_en"], "ar", false],
    [["ar"], "fa", false],
    [["yue"], "zh", false],
  ])("%j covers %s: %s", (codes, text, covered) => expect(covers(languagesOf(codes), toTag(text)!)).toBe(covered));

  test.each([
    [["en", "fr"], [["en-US", "de"]], ["en"]],
    [["en-US", "en-GB", "fr"], [["en", "de"]], ["en-GB", "en-US"]],
    [["ar-XA"], [["ar-AE", "ar-EG"]], ["ar"]],
    [["en-US"], [["fr"]], []],
    [["en-PH"], [["en", "es"], ["en-US"]], ["en"]],
  ])("%j and %j share %j", (first, others, shared) =>
    expect(common(languagesOf(first), others.map(languagesOf))).toEqual(shared),
  );

  test("lists share a language whenever all of them cover it", () => {
    const code = fc.constantFrom("en", "en-US", "en-GB", "fr", "fr-CA", "zh", "zh-CN", "ar-AE");
    const list = fc.array(code, { minLength: 1, maxLength: 4 }).map(languagesOf);
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 3 }), code, (lists, tag) => {
        const [first, ...others] = lists;
        const shared = common(first!, others);
        for (const one of shared) expect(lists.every((languages) => covers(languages, one))).toBe(true);
        if (lists.every((languages) => covers(languages, tag))) expect(shared.length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

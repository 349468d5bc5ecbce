import fc from "fast-check";
import { expect, test } from "vitest";
import { segmentsOf, wordCount } from "../../packages/server/src/traces/measures/words.ts";
import { IS_LONG } from "../support/long-form.ts";
import "../support/property-seed.ts";

const wordsBySegmenter = (text: string) => [...segmentsOf(text)].filter(({ isWordLike }) => isWordLike).length;

test("the number of words is that of the Unicode rules, even for text that is counted without them", () => {
  const joining = fc.constantFrom("a", "B", "3", "0", " ", "_", ".", ":", ",", ";", "'", "-", "\n", "é");
  const ascii = fc.string({ unit: fc.oneof({ weight: 3, arbitrary: joining }, fc.string({ maxLength: 1 })) });
  fc.assert(
    fc.property(ascii, (text) => {
      expect(wordCount(text)).toBe(wordsBySegmenter(text));
    }),
    { numRuns: IS_LONG ? 50_000 : 2_000 },
  );
});

test.each([
  ["", 0],
  ["Isn't it 3:30 pm, or 4.15?", 7],
  ["It costs 1,200.50 dollars; e.g. in the U.S.", 8],
  ["我们说话", 2],
])("%j has the number of words that a reader counts", (text, words) => {
  expect(wordCount(text)).toBe(words);
  expect(wordsBySegmenter(text)).toBe(words);
});

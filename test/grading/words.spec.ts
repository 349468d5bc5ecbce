import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findWords } from "../../packages/server/src/grading/words/find-words.ts";
import { wordsOf } from "../../packages/server/src/grading/words/words.ts";
import { anyText } from "../support/any-text.ts";

const spoken = (text: string) =>
  wordsOf(text)
    .map((word) => word.text)
    .join(" ");

const finds = (wanted: string, text: string): string | undefined => {
  const place = findWords(wordsOf(wanted), wordsOf(text));
  return place && text.slice(place.start, place.end);
};

describe("comparable words", () => {
  test.each([
    ["five five five, oh one three four", "5 5 5 0 1 3 4"],
    ["double five, triple three", "55 333"],
    ["twenty-one", "21"],
    ["twenty twenty-six", "20 26"],
    ["two thousand and twenty-six", "2026"],
    ["one hundred and twenty", "120"],
    ["three hundred thousand", "300000"],
    ["one million two hundred thousand and five", "1200005"],
    ["fifteen hundred", "1500"],
    ["$1,250.50", "1250 50 dollars"],
    ["5 €, 5 euros, five euro", "5 euros 5 euros 5 euros"],
    ["e-mail, email, E-Mails", "email email emails"],
    ["ana@example.com", "ana at example dot com"],
    ["re\u200bfund re\u00adfund", "refund refund"],
    ["b\u0430nk", "bank"],
    ["50% & C++", "50 percent and c plus plus"],
    ["June 21st, the twenty first, the ninth", "june 21 the 21 the 9"],
    ["one second", "1 second"],
    ["oh, five minutes", "oh 5 minutes"],
    ["hundred", "hundred"],
    ["José DON’T ＡＢ１", "jose dont ab 1"],
    ["A1B-22", "a 1 b 22"],
    ["", ""],
  ])("comparable words for %j are %j", (text, words) => {
    expect(spoken(text)).toBe(words);
  });

  test.each([
    ["555-0134", "call triple five 0134 now", "triple five 0134"],
    ["555-0134", "call 1 (212) 555 0134", "555 0134"],
    ["5550134", "call +12125550134.", "12125550134"],
    ["555-0134", "call 555-0135", undefined],
    ["Ana", "that is A-N-A", "A-N-A"],
    ["Ana", "Anabel", undefined],
    ["15", "room 1, 5 guests", undefined],
    ["AB-1234", "A B one two three four", "A B one two three four"],
    ["recorded line", "This is a RECORDED, line.", "RECORDED, line"],
    ["東京", "明日は東京です", "東京"],
    ["Acme", "that is Acme’s offer", "Acme’s"],
    ["50 euros", "It costs 5.50 euros", undefined],
    ["5 euros", "It costs 5.50 euros", undefined],
    ["", "anything", undefined],
  ])("contain %j in %j", (wanted, text, match) => {
    expect(finds(wanted, text)).toBe(match);
  });

  const whole = fc.integer({ min: 0, max: 999_999 });
  test("comparable words are the same for a number in words and in digits", () => {
    fc.assert(fc.property(whole, (number) => spoken(inWords(number)) === String(number)));
  });

  test("comparable words have their positions in any text, in order", () => {
    fc.assert(
      fc.property(anyText(200), (text) => {
        let end = 0;
        for (const word of wordsOf(text)) {
          // A currency sign before a number becomes a word after the number.
          const isSign = word.text === "dollars" || word.text === "euros" || word.text === "pounds";
          if ((word.start < end && !isSign) || word.end <= word.start || word.end > text.length) return false;
          end = word.end;
        }
        return true;
      }),
    );
  });

  test("comparable words are found in their text in any case and with any punctuation", () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (words, from, to) => {
        const [a, b] = [from % words.length, to % words.length].sort((x, y) => x - y) as [number, number];
        const wanted = words
          .slice(a, b + 1)
          .join(" - ")
          .toUpperCase();
        return finds(wanted, `… ${words.join(", ")}!`) !== undefined;
      }),
    );
  });
});

const UNDER_TWENTY =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

function inWords(number: number): string {
  if (number < 20) return UNDER_TWENTY[number]!;
  if (number < 100) return [TENS[Math.floor(number / 10)]!, ...rest(number % 10)].join("-");
  if (number < 1000) return [inWords(Math.floor(number / 100)), "hundred", ...rest(number % 100, "and ")].join(" ");
  return [inWords(Math.floor(number / 1000)), "thousand", ...rest(number % 1000)].join(" ");
}

const rest = (number: number, joined = ""): string[] => (number === 0 ? [] : [joined + inWords(number)]);

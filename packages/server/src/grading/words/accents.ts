/** Letters with a stroke or of two letters, which no normal form takes apart, in both cases. */
const LETTERS: Record<string, string> = {
  ß: "ss",
  ẞ: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  œ: "oe",
  æ: "ae",
  ð: "d",
  þ: "th",
};

const LETTER = /[ßẞøłđħŧıœæðþ]/giu;

/** Returns a text with its letters and their accents apart, and with plain letters for those that have a stroke or are two. */
export const withoutAccents = (text: string): string =>
  text.normalize("NFKD").replace(LETTER, (letter) => LETTERS[letter.toLowerCase()] ?? letter);

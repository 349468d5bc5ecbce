/** Letters that Unicode normalization does not decompose, and what replaces them. */
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

/** Returns a text with accents as separate characters. */
export const withoutAccents = (text: string): string =>
  text.normalize("NFKD").replace(LETTER, (letter) => LETTERS[letter.toLowerCase()] ?? letter);

/** Cyrillic and Greek letters that look like Latin letters, with the Latin letters below them. */
const FROM = "аеорсухіјѕԁɡкмтвнАВЕКМНОРСТХІЈЅοαρνκτ";
const TO = "aeopcyxijsdgkmtbhABEKMHOPCTXIJSoapvkt";

const LATIN = /\p{sc=Latin}/u;
const OTHER = /[\p{sc=Cyrillic}\p{sc=Greek}]/u;

export const foldLookAlikes = (word: string): string =>
  LATIN.test(word) && OTHER.test(word)
    ? [...word].map((letter) => (FROM.includes(letter) ? TO[FROM.indexOf(letter)]! : letter)).join("")
    : word;

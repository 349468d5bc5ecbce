import { withoutAccents } from "../../words/accents.ts";
import { jsonOf } from "../../bounds.ts";
import { currencyOf, decimalOf, isAmbiguousNumber, isExact, sameCurrency } from "./decimal.ts";
import { momentOf, sameMoment } from "./moment.ts";
import { isPhone, isWrittenAsPhone, samePhone } from "./phone.ts";

/** A value that a sentence names. A quoted value is text; the form of an unquoted value shows its type. */
type NamedValue = { text: string; quoted: boolean };

/**
 * Returns whether an argument has the value; null if the two may be the same. Numbers are compared exactly; dates, times and telephone
 * numbers by their meaning; texts without regard to case and spaces.
 */
export function sameValue(named: NamedValue, actual: unknown): boolean | null {
  if (Array.isArray(actual)) return actual.some((item) => sameValue(named, item) !== false) ? null : false;
  if (typeof actual === "object" && actual !== null) return false;
  const text = typeof actual === "string" ? actual : jsonOf(actual);
  if (typeof actual === "number") return sameNumber(named, actual);
  if (plain(named.text) === plain(text)) return true;
  const wantedMoment = momentOf(named.text);
  if (wantedMoment !== undefined) {
    const moment = momentOf(text);
    return moment === undefined ? sameDigits(named.text, text) : sameMoment(wantedMoment, moment);
  }
  if (isPhone(named.text) && isPhone(text) && (isWrittenAsPhone(named.text) || isWrittenAsPhone(text)))
    return samePhone(named.text, text);
  const [wanted, number] = [decimalOf(named.text), decimalOf(text)];
  if (wanted !== undefined && isAmbiguousNumber(text)) return null;
  if (wanted !== undefined && number !== undefined) {
    if (wanted !== number) return false;
    const same = sameCurrency(currencyOf(named.text), currencyOf(text));
    return same === true && named.quoted ? null : same;
  }
  if (wanted !== undefined && hasOneWord(text, wanted)) return null;
  return loose(named.text) === loose(text) && loose(text) !== "" ? null : false;
}

function sameNumber({ text, quoted }: NamedValue, actual: number): boolean | null {
  const wanted = decimalOf(text);
  if (wanted === undefined) return false;
  if (!isExact(actual)) return Number(wanted) === actual ? null : false;
  if (wanted === decimalOf(String(actual))) return quoted ? null : true;
  return isAmbiguousNumber(text) ? null : false;
}

/** Accepts a unit after the number, as in "2 nights". */
const hasOneWord = (text: string, number: string): boolean => {
  const [, start] = /^(\S+)\s+\p{L}+$/u.exec(text.trim()) ?? [];
  return start !== undefined && decimalOf(start) === number;
};

/** Returns null if the second text is a date in digits alone, such as 20260609, that may be the first text; false otherwise. */
const sameDigits = (a: string, b: string): null | false =>
  /^\d{8}$/.test(b.trim()) && a.replace(/\D/g, "") === b.trim() ? null : false;

const plain = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[‐‑–—]/g, "-")
    .replace(/\s+/g, " ")
    .trim()
    .toUpperCase()
    .toLowerCase();

/** Returns a text without accents, spaces and signs. Two texts that are equal only in this form may be the same. */
const loose = (text: string): string => withoutAccents(plain(text)).replace(/[^\p{L}\p{N}]/gu, "");

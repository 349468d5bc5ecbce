import parsePhoneNumber from "libphonenumber-js";

const DIGITS_MIN = 7;
const DIGITS_MAX = 15;
const PHONE = /^\+?[\d\s().\-/]+$/;

/** Returns whether a text can be a telephone number. Digits alone can also be another number, such as a booking code. */
export const isPhone = (text: string): boolean => {
  const digits = digitsOf(text).length;
  return PHONE.test(text.trim()) && digits >= DIGITS_MIN && digits <= DIGITS_MAX;
};

/** Returns whether a text is written in the way of telephone numbers: with a country code, or in groups. */
export const isWrittenAsPhone = (text: string): boolean => isPhone(text) && /[^\d]/.test(text.trim());

/** Returns whether two telephone numbers are the same; null if one of them may be the other number without its country or area code. */
export function samePhone(a: string, b: string): boolean | null {
  const [digitsA, digitsB] = [digitsOf(a), digitsOf(b)];
  if (digitsA === digitsB) return true;
  const [internationalA, internationalB] = [international(a), international(b)];
  if (internationalA && internationalB) return internationalA.number === internationalB.number;
  if (internationalA && isNational(digitsB, internationalA.nationalNumber)) return true;
  if (internationalB && isNational(digitsA, internationalB.nationalNumber)) return true;
  return digitsA.endsWith(digitsB) || digitsB.endsWith(digitsA) ? null : false;
}

const digitsOf = (text: string): string => text.replace(/\D/g, "");

const international = (text: string) => {
  const trimmed = text.trim().replace(/^00(?=\d)/, "+");
  return trimmed.startsWith("+") ? parsePhoneNumber(trimmed) : undefined;
};

const isNational = (digits: string, nationalNumber: string) => digits.replace(/^0/, "") === nationalNumber;

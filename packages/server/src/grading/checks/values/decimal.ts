import { numberAt } from "../../number-words.ts";
import { wordsOf } from "../../words.ts";

/** An exact decimal number as text: no sign for zero, no zeros that do not count. */
type Decimal = string;

const PLAIN = /^([-+])?(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;
const CURRENCY = /^(?:[$€£]|(?:usd|eur|gbp)\s)\s*|\s*(?:[$€£]|(?:usd|eur|gbp|dollars?|euros?|pounds?))$/gi;

/** Returns the number that a text writes in digits or English words, with or without a currency; never through a float. */
export function decimalOf(text: string): Decimal | undefined {
  const bare = text.trim().replace(CURRENCY, "");
  const [, sign, whole, fraction = ""] = PLAIN.exec(bare) ?? [];
  if (whole === undefined) return spelled(bare);
  if (/^0\d/.test(whole)) return undefined;
  const digits = whole.replaceAll(",", "");
  const decimals = fraction.replace(/0+$/, "");
  const number = decimals === "" ? digits : `${digits}.${decimals}`;
  return sign === "-" && number !== "0" ? `-${number}` : number;
}

/** Returns whether a text is a whole number in some countries and a decimal in others: "1.000". */
export const isAmbiguousNumber = (text: string): boolean => /^\d{1,3}\.\d{3}$|^\d+,\d{1,2}$/.test(text.trim());

/** Returns whether a JSON number kept all its digits. */
export const isExact = (number: number): boolean =>
  Number.isSafeInteger(number) || (!Number.isInteger(number) && String(number).length <= 16);

function spelled(text: string): Decimal | undefined {
  if (!/^[a-z]+(?:[\s-][a-z]+){0,8}$/i.test(text)) return undefined;
  const tokens = text.toLowerCase().split(/[\s-]+/);
  const number = numberAt(tokens, 0);
  return number?.words === tokens.length && wordsOf(text).length === 1 ? number.digits : undefined;
}

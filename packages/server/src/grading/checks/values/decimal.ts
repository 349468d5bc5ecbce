import { numberAt } from "../../words/number-words.ts";
import { wordsOf } from "../../words/words.ts";

/** Exact decimal number as text. It has no superfluous zeros, and zero has no sign. */
type Decimal = string;

const PLAIN = /^([-+−])?(\d+|\d{1,3}(?:,\d{3})+|(?=\.\d))(?:\.(\d+))?$/;
const CODE = "usd|eur|gbp|chf|cad|aud|nzd|jpy|cny|inr|brl|mxn|sek|nok|dkk|pln|czk|huf|try|zar|sgd|hkd|krw";
const NAME = "dollars?|euros?|pounds?|francs?|yen|rupees?|reais|pesos|kronor|zloty";
const CURRENCY = new RegExp(
  `^([-+−])?(?:[$€£¥₹]|(?:${CODE})\\s)\\s*|\\s*(?:[$€£¥₹]|\\b(?:us\\s)?(?:${CODE}|${NAME}))$`,
  "gi",
);
const CURRENCIES: readonly [RegExp, string][] = [
  [/\$|dollar/i, "$"],
  [/€|euro/i, "eur"],
  [/£|pound/i, "gbp"],
  [/¥|yen/i, "jpy"],
  [/₹|rupee/i, "inr"],
  [/franc/i, "chf"],
];
const DOLLARS = new Set(["usd", "cad", "aud", "nzd", "sgd", "hkd", "$"]);

/** Returns the currency that a text names. Returns `$` for a dollar of an unknown country. */
export function currencyOf(text: string): string | undefined {
  const code = new RegExp(`(?:^|[^a-z])(${CODE})(?:$|[^a-z])`, "i").exec(text)?.[1]?.toLowerCase();
  return code ?? CURRENCIES.find(([sign]) => sign.test(text))?.[1];
}

/** Returns whether two currencies are the same; null if they may be the same. */
export function sameCurrency(a: string | undefined, b: string | undefined): boolean | null {
  if (a === undefined || b === undefined || a === b) return true;
  const dollars = DOLLARS.has(a) && DOLLARS.has(b) && (a === "$" || b === "$");
  return dollars ? (a === "usd" || b === "usd" ? true : null) : false;
}

/** Returns the number that a text names. It is exact, because it is never converted to a float. */
export function decimalOf(text: string): Decimal | undefined {
  const bare = text.trim().replace(CURRENCY, "$1");
  const [, sign, whole, fraction = ""] = PLAIN.exec(bare) ?? [];
  if (whole === undefined) return spelled(bare);
  if (/^0\d/.test(whole)) return undefined;
  const digits = whole.replaceAll(",", "") || "0";
  const decimals = fraction.replace(/0+$/, "");
  const number = decimals === "" ? digits : `${digits}.${decimals}`;
  return (sign === "-" || sign === "−") && number !== "0" ? `-${number}` : number;
}

/** Returns whether a text is an integer in some countries and a decimal fraction in others, such as "1.000". */
export const isAmbiguousNumber = (text: string): boolean => /^\d{1,3}\.\d{3}$|^\d+,\d{1,2}$/.test(text.trim());

/** Returns whether a JavaScript number has all digits of the number in the JSON text. */
export const isExact = (number: number): boolean =>
  Number.isSafeInteger(number) || (!Number.isInteger(number) && String(number).length <= 16);

function spelled(text: string): Decimal | undefined {
  if (!/^[a-z]+(?:[\s-][a-z]+){0,8}$/i.test(text)) return undefined;
  const [, sign, amount] = /^(minus |negative )?(.+)$/i.exec(text)!;
  const tokens = amount!.toLowerCase().split(/[\s-]+/);
  const number = numberAt(tokens, 0);
  if (number?.words !== tokens.length || wordsOf(amount!).length !== 1) return undefined;
  return sign === undefined || number.digits === "0" ? number.digits : `-${number.digits}`;
}

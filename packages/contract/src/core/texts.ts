import { z } from "zod";
import { LIMITS } from "./limits.ts";

/** Pattern of a secret that fits in a header: visible ASCII characters without spaces. */
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Returns the schema of a text in a request: trimmed, not empty, at most `maxCharacters` characters. */
export const textUpTo = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters);

/** Matches a character that is invisible, or that only changes how other characters are shown. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/**
 * Matches the valid uses of invisible characters: emoji of several code points, and joiners between letters. Latin, Greek, Cyrillic
 * and Han letters are excluded, because these scripts use no joiners.
 */
const JOINED =
  /\p{RGI_Emoji}|(?<=[[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}]])[\u200c\u200d](?=\p{L})/gv;

/** Returns the first invisible character of a name in the form `U+200B`; undefined without one. */
function invisibleIn(name: string): string | undefined {
  const found = INVISIBLE.exec(name.replace(JOINED, ""));
  return found ? `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}` : undefined;
}

/**
 * Returns the schema of a name in a request. Normalizes the name, so that names that look alike are equal: Unicode NFC, and one space
 * for each run of spaces and tabs. Rejects invisible characters.
 */
export const nameText = () =>
  z
    .string()
    .overwrite((name) => name.normalize("NFC").replace(/[\t\p{Zs}]+/gu, " "))
    .trim()
    .min(1)
    .max(LIMITS.nameCharacters)
    .refine((name) => invisibleIn(name) === undefined, {
      error: ({ input }) => `Remove the character ${invisibleIn(String(input))}, which shows nothing.`,
    });

/** Schema of an email address in a response. */
export const shownEmail = z.string().meta({ override: { format: "email" } });

/** Schema of an email address in a request. Converts the address to lower case. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email())
  .meta({ override: { type: "string", format: "email", maxLength: 254 } });

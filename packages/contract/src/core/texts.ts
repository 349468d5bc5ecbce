import { z } from "zod";
import { LIMITS } from "./limits.ts";

/** Pattern of a secret that fits in a header: visible ASCII characters without spaces. */
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Returns the schema of a text in a request: trimmed, not empty, at most `maxCharacters` long. */
export const textUpTo = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters);

/** Characters that show nothing, or only change how others are shown. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Emoji of several characters, and the joiners that scripts other than these write between letters. */
const JOINED =
  /\p{RGI_Emoji}|(?<=[[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}]])[\u200c\u200d](?=\p{L})/gv;

/** Returns the first character of a name that shows nothing, as `U+200B`. */
function invisibleIn(name: string): string | undefined {
  const found = INVISIBLE.exec(name.replace(JOINED, ""));
  return found ? `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}` : undefined;
}

/**
 * Returns the schema of a name that a request gives to something. Two names that look alike are one: the name is composed (Unicode
 * NFC), and each run of spaces is one space. Refuses characters that show nothing.
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

/** An email address in a response. */
export const shownEmail = z.string().meta({ override: { format: "email" } });

/** An email address in a request, converted to lower case. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email())
  .meta({ override: { type: "string", format: "email", maxLength: 254 } });

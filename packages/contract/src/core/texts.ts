import { z } from "zod";

/** Pattern of a secret that fits in a header: visible ASCII characters without spaces. */
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Returns the schema of a text in a request: trimmed, not empty, at most `maxCharacters` long. */
export const textUpTo = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters);

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

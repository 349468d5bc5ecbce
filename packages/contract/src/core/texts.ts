import { z } from "zod";

/** What a header takes as a secret: visible ASCII, without spaces. */
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Text in a request: without the white space around it, and not empty. */
export const textUpTo = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters);

import { z } from "zod";

/** Text in a request: without the white space around it, and not empty. */
export const textUpTo = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters);

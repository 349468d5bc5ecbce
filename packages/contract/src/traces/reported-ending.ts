import { textUpTo } from "../core/texts.ts";
import { REPORTED_ENDING_CHARACTERS } from "./bounds.ts";

/** Returns the schema of a call's ending with the platform's name for it. */
export const reportedEnding = (description: string) => textUpTo(REPORTED_ENDING_CHARACTERS).meta({ description });

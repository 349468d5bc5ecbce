import { textUpTo } from "../core/texts.ts";
import { REPORTED_ENDING_CHARACTERS } from "./bounds.ts";

/** Returns the schema of the platform's name for the ending of a call. */
export const reportedEnding = (description: string) => textUpTo(REPORTED_ENDING_CHARACTERS).meta({ description });

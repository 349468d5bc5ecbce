import { textUpTo } from "../core/texts.ts";
import { REPORTED_ENDING_CHARACTERS } from "./bounds.ts";

/** The ending of a call as its platform names it. */
export const reportedEnding = (description: string) => textUpTo(REPORTED_ENDING_CHARACTERS).meta({ description });

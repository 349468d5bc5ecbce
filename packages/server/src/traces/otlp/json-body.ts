import { MalformedBody } from "./malformed-body.ts";

const LONG_NAMES = [
  "intValue",
  "int_value",
  "startTimeUnixNano",
  "start_time_unix_nano",
  "endTimeUnixNano",
  "end_time_unix_nano",
  "timeUnixNano",
  "time_unix_nano",
].map((name) => name.replaceAll(/./g, orEscaped));
/** The numbers in members of 64 bits that a double may not hold. */
const LONG_NUMBERS = new RegExp(`(?<="(?:${LONG_NAMES.join("|")})"\\s*:\\s*)-?\\d{16,20}(?=[\\s,}])`, "g");

/** Parses a body; refuses what JSON.parse refuses. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new MalformedBody(`it is not JSON (${(error as Error).message.slice(0, 200)})`);
  }
}

/** Parses JSON that is known to be valid; a number of 64 bits is its digits as a string when a double may not hold it. */
export const parseExactly = (json: string): unknown => JSON.parse(json.replaceAll(LONG_NUMBERS, '"$&"'));

/** Returns a pattern for a letter of a member's name, which JSON may escape. */
function orEscaped(letter: string): string {
  const code = letter.charCodeAt(0).toString(16);
  return `(?:${letter}|\\\\u00(?:${code}|${code.toUpperCase()}))`;
}

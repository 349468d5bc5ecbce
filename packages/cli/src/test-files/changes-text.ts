import { paint } from "../terminal/output.ts";

/** Returns the lines of changes, with removed lines in red and added lines in green. */
export const changesText = (changes: readonly string[]): string => changes.map(colored).join("\n");

const colored = (line: string): string =>
  /^ +- /.test(line) ? paint.red(line) : /^ +\+ /.test(line) ? paint.green(line) : line;

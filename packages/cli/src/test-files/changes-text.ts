import { paint } from "../terminal/output.ts";

export const changesText = (changes: readonly string[]): string => changes.map(colored).join("\n");

const colored = (line: string): string =>
  /^ +- /.test(line) ? paint.red(line) : /^ +\+ /.test(line) ? paint.green(line) : line;

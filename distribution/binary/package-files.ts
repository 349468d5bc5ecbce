import { join } from "node:path";
import { readProgram, unpack } from "./program.ts";

/** Unpacks or verifies a file of another package, and returns its path. */
export function packageFile(name: string): string {
  const path = `code/${name}`;
  const file = readProgram().packageFiles.find((one) => one.path === path)!;
  return unpack(join(import.meta.dirname, ".."), file);
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the files under a folder whose bytes contain the text, with the number of its occurrences. Starts again when a file is renamed or deleted meanwhile. */
export function filesWith(folder: string, text: string): Record<string, number> {
  for (;;) {
    try {
      return countIn(folder, text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function countIn(folder: string, text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    let count = 0;
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) count++;
    if (count > 0) found[entry.name] = count;
  }
  return found;
}

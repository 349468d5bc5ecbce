import { join } from "node:path";
import { counted } from "../terminal/output.ts";
import type { TestDocument } from "./test-file.ts";

export type WrittenDrafts = { written: string[]; kept: string[] };

/** Writes a file for each test. Existing files do not change. In each file, `origin` says where its test comes from. */
export async function writeDrafts(dir: string, tests: readonly TestDocument[], origin: string): Promise<WrittenDrafts> {
  const { exists, fileNameOf, writeText } = await import("./folder.ts");
  const { writeDraftFile } = await import("./test-file.ts");
  const [written, kept]: [string[], string[]] = [[], []];
  for (const test of tests) {
    const path = join(dir, fileNameOf(test.name, new Set()));
    const isKept = await exists(path);
    if (!isKept) await writeText(path, writeDraftFile(test, origin));
    (isKept ? kept : written).push(path);
  }
  return { written, kept };
}

export const writtenText = ({ written, kept }: WrittenDrafts): string[] => [
  ...(written.length === 0 ? [] : [`Wrote ${counted(written.length, "file")}:`, ...written]),
  ...kept.map((path) => `Left as it is: ${path}`),
];

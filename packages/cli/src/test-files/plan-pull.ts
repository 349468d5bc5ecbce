import { basename, join } from "node:path";
import type { Answer, Operations } from "@svc/contract";
import { isSameContent } from "./content-changes.ts";
import { fileNameOf, type FolderContent, type TestFile } from "./folder.ts";
import type { StoredTest } from "./stored-tests.ts";
import { writeTestFile } from "./test-file.ts";

/** The effect of a pull on one test's file. */
export type PullStep = {
  path: string;
  kind: "new" | "updated" | "unchanged" | "edited here" | "conflict";
  name: string;
  text: string;
};

type PullOptions = {
  replacesEdited: boolean;
  readVersion(versionId: string): Promise<Answer<Operations["tests"]["version"]>>;
};

/**
 * Decides for each test whether its file is new, updated or unchanged; reads the version from which an edited file
 * started.
 */
export async function planPull(
  folder: string,
  { files, problems }: FolderContent,
  tests: readonly StoredTest[],
  options: PullOptions,
): Promise<PullStep[]> {
  const fileOfTest = new Map(files.map((file) => [file.test.id, file]));
  const names = new Set([...files, ...problems].map(({ path }) => basename(path).toLowerCase()));
  const steps: PullStep[] = [];
  for (const test of tests) {
    const file = fileOfTest.get(test.id);
    const step = { name: test.name, text: writeTestFile(test) };
    if (file) {
      steps.push({ ...step, path: file.path, kind: await kindOf(file, test, options) });
    } else {
      const name = fileNameOf(test.name, names);
      names.add(name);
      steps.push({ ...step, path: join(folder, name), kind: "new" });
    }
  }
  return steps;
}

async function kindOf(
  file: TestFile,
  test: StoredTest,
  { replacesEdited, readVersion }: PullOptions,
): Promise<PullStep["kind"]> {
  const isSame = isSameContent(file.test, test);
  const isCurrent = file.test.version_id === test.version_id;
  if (isSame && isCurrent) return "unchanged";
  if (isSame || replacesEdited) return "updated";
  const version = await readVersion(file.test.version_id!);
  if (isSameContent(file.test, { ...version, name: file.test.name })) return "updated";
  return isCurrent ? "edited here" : "conflict";
}

import type { TestFile } from "./folder.ts";
import type { FilesState, KnownTest } from "./state-file.ts";
import type { StoredTest } from "./stored-tests.ts";

/** The service's test that a file stands for. */
export type Match = {
  stored: StoredTest;
  /** What the service had when the file was last pulled or pushed; undefined if that is unknown. */
  base: KnownTest | undefined;
};

/**
 * Finds the service's test for each file. This is the test with the file's name. If there is none, it is the test that the state
 * file or an id in the file names; it was renamed in the file or in the service. If there is neither, the file has no test yet.
 */
export function matchTests(
  files: readonly TestFile[],
  tests: readonly StoredTest[],
  state: Pick<FilesState, "of" | "ofTest">,
): Map<TestFile, Match> {
  const byId = new Map(tests.map((test) => [test.id, test]));
  const byName = new Map(tests.map((test) => [test.name, test]));
  const names = new Set(files.map(({ test }) => test.name.trim()));
  const matches = new Map<TestFile, Match>();
  const taken = new Set<string>();
  for (const file of files) {
    const known = knownOf(file, state);
    const ofId = known && byId.get(known.id);
    // If another file has this test's name, the test belongs to that file.
    const renamed = ofId && !names.has(ofId.name) && !taken.has(ofId.id) ? ofId : undefined;
    const stored = byName.get(file.test.name.trim()) ?? renamed;
    if (stored === undefined) continue;
    taken.add(stored.id);
    matches.set(file, { stored, base: known?.id === stored.id ? known : state.ofTest(stored.id) });
  }
  return matches;
}

/** Returns what the state file, or an id in the file (in the former format), says about the file's test. */
export function knownOf({ path, test }: TestFile, state: Pick<FilesState, "of">): KnownTest | undefined {
  const { id, version_id } = test;
  const known = state.of(path);
  if (known !== undefined || typeof id !== "string" || typeof version_id !== "string") return known;
  // Files in the former format do not contain the earlier name.
  return { id, version_id, name: "", tags: [] };
}

import type { TestFile } from "./folder.ts";
import type { FilesState, KnownTest } from "./state-file.ts";
import type { StoredTest } from "./stored-tests.ts";

export type Match = {
  stored: StoredTest;
  /** State of the test at the last pull or push of the file; undefined when it is unknown. */
  base: KnownTest | undefined;
};

/**
 * Finds the stored test for each file by the name in the file. Without a test of that name, uses the id in the state file or in the
 * file itself, because somebody renamed the test. Without both, the file has no stored test yet.
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
    // When another file has the name of this test, the test belongs to that file.
    const renamed = ofId && !names.has(ofId.name) && !taken.has(ofId.id) ? ofId : undefined;
    const stored = byName.get(file.test.name.trim()) ?? renamed;
    if (stored === undefined) continue;
    taken.add(stored.id);
    matches.set(file, { stored, base: known?.id === stored.id ? known : state.ofTest(stored.id) });
  }
  return matches;
}

/** Returns the entry of a file in the state file, or else the ids in a file of the former format. */
export function knownOf({ path, test }: TestFile, state: Pick<FilesState, "of">): KnownTest | undefined {
  const { id, version_id } = test;
  const known = state.of(path);
  if (known !== undefined || typeof id !== "string" || typeof version_id !== "string") return known;
  // Files of the former format do not contain the name of the test at the last pull or push.
  return { id, version_id, name: "", tags: [] };
}

import { changesBetween, isSameContent } from "./content-changes.ts";
import type { TestFile } from "./folder.ts";
import type { StoredTest } from "./stored-tests.ts";

/** The effect of a push on one file's test. */
export type PushStep = TestFile &
  (
    | { kind: "create" }
    | { kind: "edit"; stored: StoredTest; changes: string[] }
    | { kind: "unchanged"; stored: StoredTest }
    | { kind: "conflict"; why: string }
  );

/**
 * Decides the effect of a push on each file. A file whose content the service already has counts as unchanged, even
 * with other ids, so that a person can repeat an interrupted push.
 */
export function planPush(files: readonly TestFile[], tests: readonly StoredTest[]): PushStep[] {
  const byId = new Map(tests.map((test) => [test.id, test]));
  const byName = new Map(tests.map((test) => [test.name, test]));
  return files.map((file): PushStep => {
    const { test } = file;
    const conflict = (why: string): PushStep => ({ ...file, kind: "conflict", why });
    const stored = test.id === undefined ? byName.get(test.name.trim()) : byId.get(test.id);
    if (stored && isSameContent(stored, test)) return { ...file, kind: "unchanged", stored };
    if (test.id === undefined) {
      if (!stored) return { ...file, kind: "create" };
      return conflict(`the service already has a test "${test.name}" (${stored.id}): pull it, or choose another name`);
    }
    if (!stored) return conflict(`its test ${test.id} no longer exists: remove id and version_id to create a new test`);
    if (stored.version_id !== test.version_id) {
      return conflict(
        `someone edited the test meanwhile: the file starts from ${test.version_id}, and ${stored.version_id} is current. Pull, then edit again`,
      );
    }
    return { ...file, kind: "edit", stored, changes: changesBetween(stored, test) };
  });
}

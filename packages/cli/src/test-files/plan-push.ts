import { changesBetween, isSameContent } from "./content-changes.ts";
import type { Held } from "./folder.ts";
import type { TestFile } from "./test-file.ts";

type Known = Required<Pick<TestFile, "id" | "version_id">> & TestFile;

/** What a push would do with a file. `known`: the test as the service has it. */
export type Step = Held &
  (
    | { kind: "create" }
    | { kind: "edit"; known: Known; changes: string[] }
    | { kind: "unchanged"; known: Known }
    | { kind: "conflict"; why: string }
  );

/**
 * Decides for each file. A file whose content the service has already is unchanged, whatever its ids say, so that a push that
 * broke off can be done again.
 */
export function planPush(held: readonly Held[], known: readonly Known[]): Step[] {
  const byId = new Map(known.map((test) => [test.id, test]));
  const byName = new Map(known.map((test) => [test.name, test]));
  return held.map((file): Step => {
    const { test } = file;
    const meant = test.id === undefined ? byName.get(test.name.trim()) : byId.get(test.id);
    if (meant && isSameContent(meant, test)) return { ...file, kind: "unchanged", known: meant };
    if (test.id === undefined && !meant) return { ...file, kind: "create" };
    if (test.id === undefined)
      return {
        ...file,
        kind: "conflict",
        why: `a test "${test.name}" is there already (${meant!.id}): pull it, or choose another name`,
      };
    if (!meant)
      return {
        ...file,
        kind: "conflict",
        why: `its test ${test.id} is gone: take id and version_id out to create it anew`,
      };
    if (meant.version_id !== test.version_id) {
      const why = `someone edited it since: it builds on ${test.version_id}, and ${meant.version_id} is current; pull, then edit again`;
      return { ...file, kind: "conflict", why };
    }
    return { ...file, kind: "edit", known: meant, changes: changesBetween(meant, test) };
  });
}

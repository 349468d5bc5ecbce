import { changesBetween, hasTagsOf, isSameContent, tagChanges } from "./content-changes.ts";
import type { TestFile } from "./folder.ts";
import { knownOf, type Match, matchTests } from "./match.ts";
import type { FilesState, KnownTest } from "./state-file.ts";
import type { StoredTest } from "./stored-tests.ts";

export type PushStep = TestFile &
  (
    | { kind: "create"; note: string | undefined }
    | { kind: "edit"; stored: StoredTest; changes: string[] }
    | { kind: "unchanged"; stored: StoredTest }
    | { kind: "conflict"; member: string; why: string }
  );

/**
 * When the service already has the content of the file, the step is `unchanged`, even when the state file has no entry. So a user
 * can repeat an interrupted push.
 */
export function planPush(
  files: readonly TestFile[],
  tests: readonly StoredTest[],
  { state, replacesEdited = false }: { state: Pick<FilesState, "of" | "ofTest">; replacesEdited?: boolean },
): PushStep[] {
  const matches = matchTests(files, tests, state);
  return files.map((file): PushStep => {
    const match = matches.get(file);
    if (match === undefined) return { ...file, kind: "create", note: whyAgain(knownOf(file, state)) };
    const { stored } = match;
    const { test } = file;
    if (test.suite !== undefined && test.suite.trim() !== stored.suite) {
      const why = `the test is in the suite "${stored.suite}" of the service, and a test keeps its suite: write \`suite: ${stored.suite}\`, or choose another name for a new test`;
      return { ...file, kind: "conflict", member: "suite", why };
    }
    const isSame = isSameContent(stored, test);
    const hasTags = hasTagsOf(test, stored.tags);
    if (isSame && hasTags) return { ...file, kind: "unchanged", stored };
    const why = isSame || replacesEdited ? undefined : conflictOf(match, test.name);
    if (why !== undefined) return { ...file, kind: "conflict", member: "name", why };
    const tagged = hasTags ? [] : tagChanges(stored.tags, test.tags!);
    return { ...file, kind: "edit", stored, changes: [...changesBetween(stored, test), ...tagged] };
  });
}

const whyAgain = (known: KnownTest | undefined): string | undefined =>
  known && `its test ${known.id} is not at this service, which has no test of this name either`;

/** Returns why an edit could overwrite the work of somebody else; undefined when it cannot. */
function conflictOf({ stored, base }: Match, name: string): string | undefined {
  if (base === undefined)
    return `the service already has a test "${stored.name}" with other content, and nothing says which is newer: pull it, choose another name, or replace it with --force`;
  if (base.version_id !== stored.version_id)
    return `someone edited the test meanwhile: the file starts from ${base.version_id}, and ${stored.version_id} is current. Take the service's text with \`svc tests pull --force\`, which drops the edit of the file, or keep the file's with \`svc tests push --force\``;
  if (base.name !== stored.name && base.name === name.trim())
    return `someone renamed the test "${base.name}" to "${stored.name}" meanwhile: pull it, or rename it back with --force`;
  return undefined;
}

import { basename, join } from "node:path";
import type { Answer, Operations } from "@svc/contract";
import { hasTagsOf, isSameContent } from "./content-changes.ts";
import { fileNameOf, type FolderContent, type TestFile } from "./folder.ts";
import { type Match, matchTests } from "./match.ts";
import type { FilesState } from "./state-file.ts";
import type { StoredTest } from "./stored-tests.ts";
import { withLineEndsOf, withoutIds, writeTestFile } from "./test-file.ts";

export type PullStep = {
  path: string;
  kind: "new" | "updated" | "unchanged" | "edited here" | "conflict" | "invalid";
  stored: StoredTest;
  /** Text to write into the file; undefined when the pull does not change the file. */
  text: string | undefined;
};

type Version = Answer<Operations["tests"]["version"]>;

type PullOptions = {
  state: Pick<FilesState, "of" | "ofTest">;
  replacesEdited: boolean;
  readVersion(versionId: string): Promise<Version>;
  readVersions(testId: string): Promise<Version[]>;
};

/** For a file that differs from the stored test, reads the version on which the file is based. */
export async function planPull(
  { folder, files, problems }: FolderContent,
  tests: readonly StoredTest[],
  options: PullOptions,
): Promise<PullStep[]> {
  const matches = matchTests(files, tests, options.state);
  const fileOf = new Map([...matches].map(([file, match]) => [match.stored.id, { file, match }]));
  const invalid = new Map(
    problems.flatMap(({ path }) => {
      const known = options.state.of(path);
      return known === undefined ? [] : [[known.id, path] as const];
    }),
  );
  const names = new Set([...files, ...problems].map(({ path }) => basename(path).toLowerCase()));
  const steps: PullStep[] = [];
  for (const stored of tests) {
    const found = fileOf.get(stored.id);
    const text = textOf(stored, found?.file);
    if (found) {
      const kind = await kindOf(found.file, found.match, options);
      const written = kind === "updated" ? text : withoutIds(found.file.text);
      const isSame = kind === "conflict" || written === found.file.text;
      steps.push({ path: found.file.path, kind, stored, text: isSame ? undefined : written });
    } else if (invalid.has(stored.id)) {
      steps.push({ path: invalid.get(stored.id)!, kind: "invalid", stored, text: undefined });
    } else {
      const name = fileNameOf(stored.name, names);
      names.add(name);
      steps.push({ path: join(folder, name), kind: "new", stored, text });
    }
  }
  return steps;
}

/** Copies the members that only the existing file has. */
function textOf(stored: StoredTest, file: TestFile | undefined): string {
  const { agent, iterations, require } = file?.test ?? {};
  const { suite, isInDefaultSuite, ...document } = stored;
  const text = writeTestFile({
    ...document,
    ...((!isInDefaultSuite || file?.test.suite !== undefined) && { suite }),
    ...(agent !== undefined && { agent }),
    ...(iterations !== undefined && { iterations }),
    ...(require !== undefined && { require }),
  });
  return file === undefined ? text : withLineEndsOf(file.text, text);
}

async function kindOf(file: TestFile, { stored, base }: Match, options: PullOptions): Promise<PullStep["kind"]> {
  const { replacesEdited, readVersion, readVersions } = options;
  const { test } = file;
  const isSame = isSameContent(test, stored) && hasTagsOf(test, stored.tags);
  if (isSame) return "unchanged";
  if (replacesEdited) return "updated";
  const isOf = (version: Version, tags: readonly string[]) =>
    isSameContent(test, { ...version, name: test.name }) && hasTagsOf(test, tags);
  if (base === undefined) {
    const earlier = await readVersions(stored.id);
    return earlier.some((version) => isOf(version, stored.tags)) ? "updated" : "conflict";
  }
  const nameOfBase = base.name || test.name.trim();
  const hasNameOfBase = nameOfBase === test.name.trim() || nameOfBase === stored.name;
  if (nameOfBase === test.name.trim() && isOf(await readVersion(base.version_id), base.tags)) return "updated";
  return base.version_id === stored.version_id && hasNameOfBase ? "edited here" : "conflict";
}

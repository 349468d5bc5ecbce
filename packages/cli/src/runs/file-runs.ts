import { Refusal, usage } from "../refusal.ts";
import { idOf } from "../look-up.ts";
import type { Session } from "../session/session.ts";
import { readTests, skippedText, type TestFile } from "../test-files/folder.ts";
import { contentProblems } from "../test-files/check-content.ts";
import { planPush } from "../test-files/plan-push.ts";
import { problemLine } from "../test-files/push-files.ts";
import { openFilesState } from "../test-files/state-file.ts";
import { readStoredTests, type StoredTest } from "../test-files/stored-tests.ts";

/** All tests of the run have the same agent, iterations and required share. */
export type FileRun = {
  agent: string | undefined;
  iterations: number | undefined;
  require: string | undefined;
  testVersions: string[];
};

type FileRunOptions = {
  suite?: string | undefined;
  tag?: string[] | undefined;
  /** The agent for files that do not name an agent. */
  agent?: string | undefined;
  iterations?: number | undefined;
  require?: string | undefined;
};

/** Throws when the service does not have the content of a file. */
export async function selectFileRuns(
  session: Session,
  path: string,
  options: FileRunOptions,
  note: (text: string) => void,
): Promise<FileRun[]> {
  const content = await readTests(path);
  if (content.skipped.length > 0) note(`Skipped: ${skippedText(content.skipped)}.`);
  const problems = [...content.problems, ...contentProblems(content.files)];
  if (problems.length > 0)
    throw usage(`Nothing was started, because files are not valid tests:\n${problems.map(problemLine).join("\n")}`);
  const state = await openFilesState(content.folder, session);
  const steps = planPush(content.files, await readStoredTests(session, undefined), { state });
  const unpushed = steps.filter(({ kind }) => kind !== "unchanged").map((step) => step.path);
  if (unpushed.length > 0)
    throw usage(
      `Nothing was started, because the service does not have the content of ${unpushed.join(", ")}. Run \`svc tests push ${path}\` first.`,
    );
  const tests = steps.flatMap((step) =>
    step.kind === "unchanged" ? [{ path: step.path, file: step.test, stored: step.stored }] : [],
  );
  const chosen = tests.filter((test) => isChosen(test, options));
  if (chosen.length === 0) throw usage(`There is nothing to run: no test of ${path} ${whatOf(options)}.`);
  await refuseUnknownAgents(session, chosen);
  return runsOf(
    chosen.map(({ file, stored }) => ({ file, versionId: stored.version_id })),
    options,
  );
}

async function refuseUnknownAgents(
  session: Session,
  tests: readonly { path: string; file: TestFile["test"] }[],
): Promise<void> {
  const paths = new Map(tests.map(({ path, file }) => [file.agent?.trim(), path]));
  for (const [agent, path] of paths) {
    if (agent === undefined) continue;
    await idOf(session, "agent", agent).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(error.code, `${path}: agent: ${error.message}`, error.exitCode);
    });
  }
}

export function runsOf(
  tests: readonly { file: TestFile["test"]; versionId: string }[],
  options: Pick<FileRunOptions, "agent" | "iterations" | "require">,
): FileRun[] {
  const runs = new Map<string, FileRun>();
  for (const { file, versionId } of tests) {
    const agent = file.agent?.trim() ?? options.agent;
    const iterations = file.iterations ?? options.iterations;
    const require = file.require ?? options.require;
    const key = JSON.stringify([agent, iterations, require]);
    if (!runs.has(key)) runs.set(key, { agent, iterations, require, testVersions: [] });
    runs.get(key)!.testVersions.push(versionId);
  }
  return [...runs.values()];
}

function isChosen(
  { file, stored }: { file: TestFile["test"]; stored: StoredTest },
  { suite, tag }: FileRunOptions,
): boolean {
  const tags = file.tags ?? stored.tags;
  const isOfSuite = suite === undefined || stored.suite === suite || stored.suite_id === suite;
  return isOfSuite && (tag === undefined || tag.some((one) => tags.includes(one)));
}

const whatOf = ({ suite, tag }: FileRunOptions): string =>
  [
    ...(tag ? [`has the tag ${tag.join(" or ")}`] : []),
    ...(suite === undefined ? [] : [`is in the suite "${suite}"`]),
  ].join(" and ");

import { access } from "node:fs/promises";
import type { ApiBehaviorReading } from "@svc/contract";
import { EXIT, isSvcError, Refusal } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { contentProblems, problemAt } from "./check-content.ts";
import { type FileProblem, type FolderContent, type TestFile, writeText } from "./folder.ts";
import { planPush, type PushStep } from "./plan-push.ts";
import { type FilesState, openFilesState } from "./state-file.ts";
import { readStoredTests } from "./stored-tests.ts";
import { lineOf, withoutIds } from "./test-file.ts";

/** In a dry run, the ids of new tests and versions are null. */
export type PushedTest = {
  path: string;
  kind: PushStep["kind"];
  name: string;
  id: string | null;
  version_id: string | null;
  changes: string[];
  /** Why the push creates the test again; null when the test is new or already exists. */
  note: string | null;
  readings: ApiBehaviorReading[];
};

type PushOptions = {
  suite?: string | undefined;
  replacesEdited?: boolean;
  isDryRun?: boolean;
  /** Whether to update the state file and to remove the ids from files of the former format. */
  records?: boolean;
  /** State of the files that replaces the folder's state file. */
  known?: FilesState | undefined;
};

/** When one file has a problem, changes no test and throws. The error contains the files, the lines and the corrections. */
export async function pushFiles(
  session: Session,
  { folder, files, problems }: FolderContent,
  { suite, replacesEdited = false, isDryRun = false, records = true, known }: PushOptions = {},
): Promise<PushedTest[]> {
  refuseProblems([...problems, ...contentProblems(files)], "files are not valid tests");
  const state = known ?? (await openFilesState(folder, session));
  const steps = planPush(files, await readStoredTests(session, undefined), { state, replacesEdited });
  refuseProblems(conflictsOf(steps), "tests cannot be written");
  const answers = await importSteps(session, steps, { suite, isDryRun }).catch((error: unknown) => {
    refuseProblems(problemsOf(error, steps.filter(isChange)), "tests cannot be written");
    throw error;
  });
  const pushed: PushedTest[] = [];
  for (const step of steps) {
    const { id, version_id, readings } = step.kind === "unchanged" ? step.stored : answers.get(step)!;
    const changes = step.kind === "edit" ? step.changes : step.kind === "create" ? ["a new test"] : [];
    const note = step.kind === "create" ? (step.note ?? null) : null;
    pushed.push({ path: step.path, kind: step.kind, name: step.test.name, id, version_id, changes, note, readings });
    if (records && !isDryRun) await record(state, step, { id: id!, version_id: version_id! });
  }
  if (isDryRun || !records) return pushed;
  const gone = await goneFiles(state.paths());
  state.keepOnly((path) => !gone.has(path));
  await state.save().catch((error: Error) => {
    const advice =
      "The tests are pushed. Later commands find them by their names: set --no-record in a folder that stays as it is.";
    throw new Refusal("not_recorded", `${advice} ${error.message}`);
  });
  return pushed;
}

async function record(state: FilesState, step: PushStep, ids: { id: string; version_id: string }): Promise<void> {
  const { path, text, test } = step;
  const bare = withoutIds(text);
  if (bare !== text) await writeText(path, bare);
  const tags = test.tags ?? ("stored" in step ? step.stored.tags : []);
  state.record(path, { ...ids, name: test.name.trim(), tags: [...new Set(tags)].sort() });
}

async function goneFiles(paths: readonly string[]): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const path of paths) await access(path).catch(() => gone.add(path));
  return gone;
}

export const isChange = (step: PushStep): boolean => step.kind === "create" || step.kind === "edit";

/** Returns the problems of steps that are conflicts: somebody else edited the test, or the file names another suite. */
export const conflictsOf = (steps: readonly PushStep[]): FileProblem[] =>
  steps.flatMap((step) =>
    step.kind === "conflict" ? [{ path: step.path, line: lineOf(step.text, [step.member]), fault: step.why }] : [],
  );

type Imported = { id: string | null; version_id: string | null; readings: ApiBehaviorReading[] };

/** Sends the new and edited tests in one request. */
export async function importSteps(
  { client, projectId: project }: Session,
  steps: readonly PushStep[],
  { suite, isDryRun }: { suite: string | undefined; isDryRun: boolean },
): Promise<Map<PushStep, Imported>> {
  const changed = steps.filter(isChange);
  if (changed.length === 0) return new Map();
  const tests = changed.map((step) => {
    const { name, suite: own, tags, scenario, expected_behaviors, personas, mock_tools } = step.test;
    const ids = step.kind === "edit" && { id: step.stored.id, expected_version_id: step.stored.version_id };
    return { ...ids, name, suite: own, tags, scenario, expected_behaviors, personas, mock_tools };
  });
  const answer = await client.tests.import({ tests, suite, create_suites: true, dry_run: isDryRun, project });
  return new Map(changed.map((step, index) => [step, answer.tests[index]!]));
}

/** Converts the error of a rejected import to problems of files; an empty list when the error has another cause. */
export function problemsOf(error: unknown, changed: readonly TestFile[]): FileProblem[] {
  const issues = isSvcError(error) && Array.isArray(error.details.issues) ? error.details.issues : [];
  return issues.flatMap(({ path, message }: { path: string; message: string }) => {
    const [, index, member] = /^tests\.(\d+)\.(.+)$/.exec(path) ?? [];
    if (member === undefined) return [];
    const parts = member.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    return [problemAt(changed[Number(index)]!, parts, message)];
  });
}

export const problemLine = ({ path, line, fault }: FileProblem): string => `${path}:${line}: ${fault}`;

function refuseProblems(problems: readonly FileProblem[], why: string): void {
  if (problems.length === 0) return;
  const lines = problems.map((problem) => `  ${problemLine(problem)}`);
  throw new Refusal("not_pushed", `Nothing was written, because ${why}:\n${lines.join("\n")}`, EXIT.refused, {
    files: problems,
  });
}

import type { ApiBehaviorReading } from "@svc/contract";
import { idOf } from "../look-up.ts";
import { asRefusal, isSvcError, Refusal } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { problemAt } from "./check-content.ts";
import type { FileProblem, TestFile } from "./folder.ts";
import { planPush, type PushStep } from "./plan-push.ts";
import { conflictsOf, importSteps, isChange, problemsOf } from "./push-files.ts";
import { type FilesState, openFilesState } from "./state-file.ts";
import { readStoredTests } from "./stored-tests.ts";

/** How the service understands each expected behavior of a test file, in the order of the file. */
export type FileReadings = { path: string; name: string; readings: ApiBehaviorReading[] };

/** When the request failed, `files` is null and `reason` contains the cause. */
export type ServiceCheck = {
  files: FileReadings[] | null;
  reason: string | null;
  problems: FileProblem[];
  /** Files that a push would reject because somebody edited their tests. */
  conflicts: FileProblem[];
  /** Files with an agent that the service does not have. A push accepts them, but a run needs the agent. */
  withoutAgent: FileProblem[];
};

/** Checks valid files at the service as a push would, without changing anything. */
export async function checkAtService(
  { folder, files, known }: { folder: string; files: readonly TestFile[]; known?: FilesState | undefined },
  startSession: () => Promise<Session>,
): Promise<ServiceCheck> {
  try {
    const session = await startSession();
    const state = known ?? (await openFilesState(folder, session));
    const steps = planPush(files, await readStoredTests(session, undefined), { state });
    const { files: read, problems } = await dryRun(session, steps);
    // A wrong suite is a mistake in the file. An edit of the test by somebody else is no mistake in the file.
    const isMistake = (step: PushStep) => step.kind === "conflict" && step.member === "suite";
    return {
      files: read,
      reason: null,
      problems: [...problems, ...conflictsOf(steps.filter(isMistake))],
      conflicts: conflictsOf(steps.filter((step) => !isMistake(step))),
      withoutAgent: await filesWithoutAgent(session, files),
    };
  } catch (error) {
    if (error instanceof Refusal || isSvcError(error))
      return { files: null, reason: asRefusal(error).message, problems: [], conflicts: [], withoutAgent: [] };
    throw error;
  }
}

async function filesWithoutAgent(session: Session, files: readonly TestFile[]): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const [agent, ofAgent] of Map.groupBy(files, ({ test }) => test.agent)) {
    if (agent === undefined) continue;
    const refusal = await idOf(session, "agent", agent).then(
      () => undefined,
      (error: unknown) => asRefusal(error).message,
    );
    if (refusal !== undefined) problems.push(...ofAgent.map((file) => problemAt(file, ["agent"], refusal)));
  }
  return problems;
}

/** Repeats the dry run without the rejected files, because an error lists only the first problems. */
async function dryRun(
  session: Session,
  all: readonly PushStep[],
): Promise<{ files: FileReadings[]; problems: FileProblem[] }> {
  const problems: FileProblem[] = [];
  let steps: readonly PushStep[] = all;
  for (;;) {
    try {
      const answers = await importSteps(session, steps, { suite: undefined, isDryRun: true });
      const files = steps.flatMap((step) => {
        const { readings } = answers.get(step) ?? (step.kind === "unchanged" ? step.stored : {});
        return readings === undefined ? [] : [{ path: step.path, name: step.test.name, readings }];
      });
      return { files, problems };
    } catch (error) {
      const found = problemsOf(error, steps.filter(isChange));
      if (found.length === 0) throw error;
      problems.push(...found);
      const refused = new Set(found.map(({ path }) => path));
      steps = steps.filter(({ path }) => !refused.has(path));
    }
  }
}

import { type ApiBehaviorReading, LIMITS } from "@svc/contract";
import { asRefusal, isSvcError, Refusal } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import type { FileProblem, TestFile } from "./folder.ts";

/** How the service reads a file's behaviors, in the order of the file. */
export type FileReadings = { path: string; name: string; readings: ApiBehaviorReading[] };

/** The readings of all files; or null, and the reason, when no service could be asked. */
export type Readings = { files: FileReadings[]; reason: null } | { files: null; reason: string };

/** Asks the service how it reads the behaviors of valid files. */
export async function readBehaviors(
  files: readonly TestFile[],
  startSession: () => Promise<Session>,
): Promise<Readings> {
  try {
    const readings = await readAll(await startSession(), [
      ...new Set(files.flatMap(({ test }) => test.expected_behaviors.map((behavior) => behavior.trim()))),
    ]);
    return {
      files: files.map(({ path, test }) => ({
        path,
        name: test.name,
        readings: test.expected_behaviors.map((behavior) => readings.get(behavior.trim())!),
      })),
      reason: null,
    };
  } catch (error) {
    if (error instanceof Refusal || isSvcError(error)) return { files: null, reason: asRefusal(error).message };
    throw error;
  }
}

async function readAll(
  { client, projectId: project }: Session,
  behaviors: readonly string[],
): Promise<Map<string, ApiBehaviorReading>> {
  const readings = new Map<string, ApiBehaviorReading>();
  for (let from = 0; from < behaviors.length; from += LIMITS.behaviors) {
    const some = behaviors.slice(from, from + LIMITS.behaviors);
    const answer = await client.tests.readBehaviors({ behaviors: some, project });
    for (const reading of answer.readings) readings.set(reading.behavior, reading);
  }
  return readings;
}

/** Returns the behaviors that the service cannot read, each with what to correct. */
export const readingProblems = (files: readonly FileReadings[]): FileProblem[] =>
  files.flatMap(({ path, readings }) =>
    readings.flatMap(({ problem }, index) =>
      problem === null ? [] : [{ path, fault: `expected_behaviors.${index}: ${problem}` }],
    ),
  );

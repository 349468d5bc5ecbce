import { isDeepStrictEqual } from "node:util";
import type { operations } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import { type Change, changeOf, staleEditMessage, type VersionedRecord } from "../versions.ts";
import type { StoredTest, TestContent } from "./stored-test.ts";

type EditBody = z.output<(typeof operations.tests.edit)["body"]>;
type ImportBody = z.output<(typeof operations.tests.import)["body"]>;

export type NewTest = { name: string; content: TestContent };
export type DecideTestEdit = (current: StoredTest) => Change<TestContent>;

/** A new test, or the edit of an existing one. */
export type TestWrite = NewTest | { id: string; decide: DecideTestEdit };

/** A test that an import wrote; `before` is undefined if the import created the test. */
export type WrittenTest = { before: StoredTest | undefined; after: StoredTest };

/** Returns what the edit changes; refuses a stale edit with both version ids. */
export function decideEdit(test: StoredTest, edit: EditBody): Change<TestContent> {
  const { expected_version_id, name, scenario, expected_behaviors, personas, mock_tools } = edit;
  const content = { scenario, expected_behaviors, personas, mock_tools };
  return changeOf<TestContent>(test, expected_version_id, { name, content }, staleEdit);
}

/** Returns the write of one imported test: the edit of the test that it identifies, or else a new test. */
export function decideImport(test: ImportBody["tests"][number]): TestWrite {
  const { id, expected_version_id, name, scenario, expected_behaviors, personas = [], mock_tools = [] } = test;
  const content = { scenario, expected_behaviors, personas, mock_tools };
  if (id === undefined && expected_version_id === undefined) return { name, content };
  if (id === undefined || expected_version_id === undefined) {
    throw new AppError("unprocessable", `Send id and expected_version_id of the test "${name}" together, or neither.`);
  }
  return { id, decide: (current) => decideEdit(current, { expected_version_id, name, ...content }) };
}

/** Returns whether the edit replaces the list of personas; an unchanged list keeps its personas when they are renamed. */
export const replacesPersonas = (test: StoredTest, { personas }: TestContent): boolean =>
  !isDeepStrictEqual(personas, test.current.content.personas);

const staleEdit = ({ id, name, current }: VersionedRecord<unknown>, expected_version_id: string): AppError =>
  new AppError("version_conflict", staleEditMessage("test", current.id), {
    test: { id, name },
    expected_version_id,
    current_version_id: current.id,
  });

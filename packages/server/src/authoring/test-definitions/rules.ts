import { isDeepStrictEqual } from "node:util";
import type { operations } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { readBehavior } from "../../grading/read-behavior.ts";
import { successProblem } from "../../grading/success-conditions.ts";
import { type Issue, refusalOf } from "../../http/refusal.ts";
import { type Change, changeOf, staleEditMessage, type VersionedRecord } from "../../base/versions.ts";
import type { StoredTest, TestContent } from "./stored-test.ts";

type CreateBody = z.output<(typeof operations.tests.create)["body"]>;
type EditBody = z.output<(typeof operations.tests.edit)["body"]>;
type ImportBody = z.output<(typeof operations.tests.import)["body"]>;

/** An unlisted test is deleted from the start. Runs can play its version. */
export type NewTest = { name: string; content: TestContent; isUnlisted: boolean };
export type DecideTestEdit = (current: StoredTest) => Change<TestContent>;

/**
 * The write of one test of an import: a new test, or the edit of an existing test. `create` and `decide` throw when the test is not
 * acceptable.
 */
export type TestWrite = {
  /** Id or name of the test's suite. When undefined, a new test gets the suite of the request, and an existing test keeps its suite. */
  suite: string | undefined;
  /** New tags of the test. When undefined, the tags stay unchanged. */
  tags: readonly string[] | undefined;
} & ({ create: () => NewTest } | { id: string; decide: DecideTestEdit });

/** A test that an import wrote. `before` is undefined when the import created the test. */
export type WrittenTest = { before: StoredTest | undefined; after: StoredTest };

export function decideCreate({ expected_behaviors, ...body }: CreateBody): NewTest {
  const { name, scenario, personas = [], mock_tools = [], unlisted: isUnlisted = false } = body;
  refuseBroken({ expected_behaviors, mock_tools }, NO_CONTENT);
  return { name, content: { scenario, expected_behaviors, personas, mock_tools }, isUnlisted };
}

/**
 * Throws `version_conflict` with both version ids when the edited version is not current. Throws when a new behavior or
 * a new condition of success has a syntax error.
 */
export function decideEdit(test: StoredTest, edit: EditBody): Change<TestContent> {
  const { expected_version_id, name, scenario, expected_behaviors, personas, mock_tools } = edit;
  const content = { scenario, expected_behaviors, personas, mock_tools };
  const change = changeOf<TestContent>(test, expected_version_id, { name, content }, staleEdit);
  refuseBroken({ expected_behaviors, mock_tools }, test.current.content);
  return change;
}

/** Returns what an import writes. A test with an id is an edit; a test without an id is a new test. */
export function decideImport(tests: ImportBody["tests"]): TestWrite[] {
  return tests.map((test) => {
    const { id, expected_version_id, name, scenario, expected_behaviors, personas = [], mock_tools = [] } = test;
    const content = { scenario, expected_behaviors, personas, mock_tools };
    const ofTest = { suite: test.suite, tags: test.tags && orderedTags(test.tags) };
    if (id === undefined && expected_version_id === undefined)
      return { ...ofTest, create: () => decideCreate({ name, ...content }) };
    if (id === undefined || expected_version_id === undefined) {
      throw new AppError(
        "unprocessable",
        `Send id and expected_version_id of the test "${name}" together, or neither.`,
      );
    }
    return { ...ofTest, id, decide: (current) => decideEdit(current, { expected_version_id, name, ...content }) };
  });
}

/**
 * Returns the issues of an `unprocessable` error about one test of an import. Adds the test's index to the issues' paths. Throws any other
 * error again.
 */
export function issuesOfTest(error: unknown, index: number): Issue[] {
  if (!(error instanceof AppError) || error.code !== "unprocessable") throw error;
  const issues = (error.details?.issues as Issue[] | undefined) ?? [{ path: "name", message: error.message }];
  return issues.map(({ path, message }) => ({ path: `tests.${index}.${path}`, message }));
}

export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw refusalOf("unprocessable", issues);
}

export const otherSuite = (): AppError => {
  const message = "The test is in another suite, and a test keeps its suite. Name that suite, or none.";
  return new AppError("unprocessable", message, { issues: [{ path: "suite", message }] });
};

type Sentences = Pick<TestContent, "expected_behaviors" | "mock_tools">;

const NO_CONTENT: Sentences = { expected_behaviors: [], mock_tools: [] };

/** Throws for a behavior or a success condition with a syntax error, unless the current version already contains it. */
function refuseBroken(
  { expected_behaviors = [], mock_tools = [] }: { [member in keyof Sentences]?: Sentences[member] | undefined },
  current: Sentences,
): void {
  const issues: Issue[] = [];
  for (const [index, behavior] of expected_behaviors.entries()) {
    const { problem } = readBehavior(behavior, false);
    if (problem !== null && !current.expected_behaviors.includes(behavior))
      issues.push({ path: `expected_behaviors.${index}`, message: problem });
  }
  for (const [index, { succeeds_when: condition }] of mock_tools.entries()) {
    const problem = condition === undefined ? undefined : successProblem(condition);
    if (problem !== undefined && !current.mock_tools.some(({ succeeds_when }) => succeeds_when === condition))
      issues.push({ path: `mock_tools.${index}.succeeds_when`, message: problem });
  }
  refuseIssues(issues);
}

/** Returns whether an edit changes the list of personas. An unchanged list keeps its personas, even when they were renamed. */
export const replacesPersonas = (test: StoredTest, { personas }: TestContent): boolean =>
  !isDeepStrictEqual(personas, test.current.content.personas);

const staleEdit = ({ id, name, current }: VersionedRecord<unknown>, expected_version_id: string): AppError =>
  new AppError("version_conflict", staleEditMessage("test", current.id), {
    test: { id, name },
    expected_version_id,
    current_version_id: current.id,
  });

export const orderedTags = (tags: readonly string[]): string[] => [...new Set(tags)].sort();

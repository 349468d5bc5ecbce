import { isDeepStrictEqual } from "node:util";
import type { operations, SuiteTest, Test, TestVersion } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";
import { type Change, changeOf, editedSince } from "../versions.ts";

type Edit = z.output<(typeof operations.tests.edit)["body"]>;
type MockTools = z.output<typeof Test>["mock_tools"];

/** What a version freezes. */
export type Content = {
  scenario: string;
  expected_behaviors: string[];
  personas: string[];
  mock_tools: MockTools;
};

export type TestRow = Schema["tests"];
export type VersionRow = Schema["test_versions"];
export type CurrentTest = { test: TestRow; version: VersionRow };
export type VersionOfTest = { version: VersionRow; test: TestRow };

export type NewTest = { name: string; content: Content };
export type DecideEdit = (current: CurrentTest) => Change<Content>;
export type Write = NewTest | { id: string; decide: DecideEdit };
/** `before`: undefined when the test was created. */
export type Written = { before: CurrentTest | undefined; after: CurrentTest };

/** What an edit does: nothing, a new name, a new version, or both; a stale one is refused with both version ids. */
export function decideEdit({ test, version }: CurrentTest, edit: Edit): Change<Content> {
  const { expected_version_id, name, scenario, expected_behaviors, personas, mock_tools } = edit;
  if (expected_version_id !== version.id) throw staleEdit(test, expected_version_id);
  return changeOf(
    { name: test.name, content: contentOf(version) },
    { name, content: { scenario, expected_behaviors, personas, mock_tools } },
  );
}

type Imported = z.output<(typeof operations.tests.import)["body"]>["tests"][number];

/** What an import does with one test: an edit of the one that is named, or a new one. */
export function decideImport(test: Imported): Write {
  const { id, expected_version_id, name, scenario, expected_behaviors, personas = [], mock_tools = [] } = test;
  const content = { scenario, expected_behaviors, personas, mock_tools };
  if (id === undefined && expected_version_id === undefined) return { name, content };
  if (id === undefined || expected_version_id === undefined) {
    throw new AppError("unprocessable", `Send id and expected_version_id of the test "${name}" together, or neither.`);
  }
  return { id, decide: (current) => decideEdit(current, { expected_version_id, name, ...content }) };
}

export function presentImported({ before, after }: Written, dryRun: boolean): z.infer<ImportAnswer>["tests"][number] {
  const { test, version } = after;
  const minted = before?.version.id !== version.id;
  return {
    result: resultOf(before, after),
    name: test.name,
    id: before === undefined && dryRun ? null : test.id,
    version: minted && dryRun ? null : version.version,
    version_id: minted && dryRun ? null : version.id,
  };
}

type ImportAnswer = (typeof operations.tests.import)["answer"];

function resultOf(before: CurrentTest | undefined, { test, version }: CurrentTest) {
  if (before === undefined) return "created";
  if (before.version.id !== version.id) return "edited";
  return before.test.name === test.name ? "unchanged" : "renamed";
}

/** A list that stays as it was keeps the personas that it meant when it was written, whatever they are called now. */
export const namesOtherPersonas = (version: VersionRow, { personas }: Content): boolean =>
  !isDeepStrictEqual(personas, JSON.parse(version.personas));

const staleEdit = ({ id, name, current_version_id }: TestRow, expected_version_id: string) =>
  new AppError("version_conflict", editedSince("test", current_version_id), {
    test: { id, name },
    expected_version_id,
    current_version_id,
  });

export function contentOf(version: VersionRow): Content {
  return {
    scenario: version.scenario,
    expected_behaviors: JSON.parse(version.expected_behaviors),
    personas: JSON.parse(version.personas),
    mock_tools: JSON.parse(version.mock_tools),
  };
}

export function presentTest({ test, version }: CurrentTest): z.infer<typeof Test> {
  return {
    id: test.id,
    project_id: test.project_id,
    suite_id: test.suite_id,
    name: test.name,
    version: version.version,
    version_id: version.id,
    ...contentOf(version),
    created_at: test.created_at,
    updated_at: test.updated_at,
  };
}

export function presentSuiteTest(current: CurrentTest): z.infer<typeof SuiteTest> {
  const test = presentTest(current);
  return {
    id: test.id,
    projectId: test.project_id,
    suiteId: test.suite_id,
    name: test.name,
    version: test.version,
    versionId: test.version_id,
    scenario: test.scenario,
    expectedBehaviors: test.expected_behaviors,
    personas: test.personas,
    mockTools: test.mock_tools.map(({ delay_ms, ...mock }) => ({
      ...mock,
      ...(delay_ms !== undefined && { delayMs: delay_ms }),
    })),
    createdAt: test.created_at,
    updatedAt: test.updated_at,
  };
}

export function presentVersion({ test, version }: VersionOfTest): z.infer<typeof TestVersion> {
  return {
    id: version.id,
    test_id: test.id,
    test_name: test.name,
    version: version.version,
    current: test.deleted_at === null && test.current_version_id === version.id,
    ...contentOf(version),
    created_at: version.created_at,
  };
}

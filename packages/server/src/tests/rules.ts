import { isDeepStrictEqual } from "node:util";
import type { operations, SuiteTest, Test, TestVersion } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

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

export type Change = { name: string | undefined; content: Content | undefined };

/** What an edit does: nothing, a new name, a new version, or both; a stale one is refused with both version ids. */
export function decideEdit({ test, version }: CurrentTest, edit: Edit): Change {
  if (edit.expected_version_id !== version.id) throw staleEdit(test, edit.expected_version_id);
  const current = contentOf(version);
  const content: Content = {
    scenario: edit.scenario ?? current.scenario,
    expected_behaviors: edit.expected_behaviors ?? current.expected_behaviors,
    personas: edit.personas ?? current.personas,
    mock_tools: edit.mock_tools ?? current.mock_tools,
  };
  return {
    name: edit.name === undefined || edit.name === test.name ? undefined : edit.name,
    content: isDeepStrictEqual(content, current) ? undefined : content,
  };
}

function staleEdit(test: TestRow, expected: string): AppError {
  const current = test.current_version_id;
  return new AppError(
    "version_conflict",
    `The test was edited since: read it, send its current version id ${current} and try again.`,
    {
      test: { id: test.id, name: test.name },
      expected_version_id: expected,
      current_version_id: current,
    },
  );
}

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

import {
  type ApiBehaviorReading,
  type BehaviorReading,
  type operations,
  snakeCased,
  type SuiteTest,
  type Test,
  type TestVersion,
} from "@svc/contract";
import type { z } from "zod";
import { readBehavior } from "../../grading/read-behavior.ts";
import { successConditions } from "../../grading/success-conditions.ts";
import type { FrozenContent, StoredTest, TestContent, VersionOfTest } from "./stored-test.ts";
import type { WrittenTest } from "./rules.ts";

export function presentTest(test: StoredTest, hasJudge: boolean): z.infer<typeof Test> {
  return {
    id: test.id,
    project_id: test.project_id,
    suite_id: test.suite_id,
    name: test.name,
    version: test.current.version,
    version_id: test.current.id,
    ...contentOf(test.current.content, hasJudge),
    tags: JSON.parse(test.tags),
    created_at: test.created_at,
    updated_at: test.updated_at,
  };
}

export function presentVersion(
  { record: test, version }: VersionOfTest,
  hasJudge: boolean,
): z.infer<typeof TestVersion> {
  return {
    id: version.id,
    test_id: test.id,
    test_name: test.name,
    version: version.version,
    current: test.deleted_at === null && test.current.id === version.id,
    ...contentOf(version.content, hasJudge),
    created_at: version.created_at,
  };
}

const contentOf = ({ persona_ids: _, ...content }: FrozenContent, hasJudge: boolean) => ({
  ...content,
  readings: presentReadings(content, hasJudge),
});

type Sentences = { expected_behaviors: readonly string[]; mock_tools: TestContent["mock_tools"] };

export const presentReadings = (sentences: Sentences, hasJudge: boolean): ApiBehaviorReading[] =>
  readingsOf(sentences, hasJudge).map((reading) => snakeCased(reading));

function readingsOf({ expected_behaviors, mock_tools }: Sentences, hasJudge: boolean): BehaviorReading[] {
  const succeedsWhen = successConditions(
    mock_tools.map(({ tool, succeeds_when }) => ({ tool, succeedsWhen: succeeds_when })),
  );
  return expected_behaviors.map((behavior) => readBehavior(behavior, hasJudge, { succeedsWhen }));
}

/** Presents a test of a suite. Member names are in camelCase, except in the JSON that the test's author wrote. */
export function presentSuiteTest(test: StoredTest, hasJudge: boolean): z.infer<typeof SuiteTest> {
  const { scenario, expected_behaviors, personas, mock_tools } = test.current.content;
  return {
    id: test.id,
    projectId: test.project_id,
    suiteId: test.suite_id,
    name: test.name,
    version: test.current.version,
    versionId: test.current.id,
    scenario,
    expectedBehaviors: expected_behaviors,
    readings: readingsOf(test.current.content, hasJudge),
    personas,
    mockTools: mock_tools.map(({ delay_ms: delayMs, succeeds_when: succeedsWhen, ...mock }) => ({
      ...mock,
      delayMs,
      ...(succeedsWhen !== undefined && { succeedsWhen }),
    })),
    tags: JSON.parse(test.tags),
    createdAt: test.created_at,
    updatedAt: test.updated_at,
  };
}

type ImportedTest = z.infer<(typeof operations.tests.import)["answer"]>["tests"][number];

/** After a dry run, the ids and numbers that only a real import creates are null. */
export function presentImported({ before, after }: WrittenTest, isDryRun: boolean, hasJudge: boolean): ImportedTest {
  const isNewVersion = before?.current.id !== after.current.id;
  return {
    result: resultOf(before, after),
    name: after.name,
    id: before === undefined && isDryRun ? null : after.id,
    version: isNewVersion && isDryRun ? null : after.current.version,
    version_id: isNewVersion && isDryRun ? null : after.current.id,
    readings: presentReadings(after.current.content, hasJudge),
  };
}

function resultOf(before: StoredTest | undefined, after: StoredTest): ImportedTest["result"] {
  if (before === undefined) return "created";
  if (before.current.id !== after.current.id) return "edited";
  if (before.name !== after.name) return "renamed";
  return before.tags === after.tags ? "unchanged" : "tagged";
}

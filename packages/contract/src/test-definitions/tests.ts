import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { MockTool } from "./mock-tools.ts";
import { count, positive, versionNumber } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { cursorPage, cursorQuery, nextPageToken, pageQuery } from "../core/pagination.ts";
import { project, projectId } from "../core/selection.ts";
import { changedTest, newTest } from "./test-content.ts";

const frozen = {
  scenario: z.string(),
  expected_behaviors: z.array(z.string()),
  personas: z.array(z.string()),
  mock_tools: z.array(MockTool),
};

/** A test with its current version's content. */
export const Test = z
  .strictObject({
    id: id("tst"),
    project_id: id("prj"),
    suite_id: id("ste"),
    name: z.string(),
    version: versionNumber,
    version_id: id("tstv").meta({ description: "Immutable id of the current version; runs pin it." }),
    ...frozen,
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .meta({ id: "Test" });

/** The same test as `/v1` lists it, in lowerCamelCase. */
export const SuiteTest = z
  .strictObject({
    id: id("tst"),
    projectId: id("prj"),
    suiteId: id("ste"),
    name: z.string(),
    version: positive(),
    versionId: id("tstv"),
    scenario: z.string(),
    expectedBehaviors: z.array(z.string()),
    personas: z.array(z.string()),
    mockTools: z.array(
      z.strictObject({
        tool: z.string(),
        answer: z.unknown().optional(),
        error: z.string().optional(),
        delayMs: count().optional(),
      }),
    ),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "SuiteTest" });

/** A version, frozen when it was minted. */
export const TestVersion = z
  .strictObject({
    id: id("tstv"),
    test_id: id("tst"),
    test_name: z.string().meta({ description: "The test's present name; names are not versioned." }),
    version: positive(),
    current: z
      .boolean()
      .meta({ description: "False when a later edit superseded this version, or the test was deleted." }),
    ...frozen,
    created_at: timestamp(),
  })
  .meta({ id: "TestVersion" });

const ImportedTest = z
  .strictObject({
    result: z.enum(["created", "edited", "renamed", "unchanged"]),
    name: z.string(),
    id: id("tst").nullable().meta({ description: "Null for what a dry run would create." }),
    version: z
      .int()
      .nullable()
      .meta({ override: { type: ["integer", "null"], minimum: 1 } }),
    version_id: id("tstv").nullable().meta({ description: "Null for what a dry run would mint." }),
  })
  .meta({ id: "ImportedTest", description: "What an import did, or would do, with one test." });

const params = z.strictObject({ testId: idInput("tst") });
const query = z.strictObject({ project });
const tag = "Tests";

/** The project's tests and their versions. */
export const tests = {
  /** Creates a test and its version 1. */
  create: operation({
    method: "POST",
    path: "/api/tests",
    summary: "Create a test",
    tag,
    ...writesProject,
    body: z.strictObject({
      ...newTest,
      suite: z.string().min(1).optional().meta({ description: 'Suite id or name; default: the suite "Default".' }),
      project,
    }),
    status: 201,
    answer: Test,
    errors: ["name_taken"],
  }),

  /**
   * Edits a test. A change of content mints the next version; the same content, or a new name alone, does not. A stale
   * `expected_version_id` is refused with 409 `version_conflict`, whose `details` hold `expected_version_id` and
   * `current_version_id`.
   */
  edit: operation({
    method: "PATCH",
    path: "/api/tests/{testId}",
    summary: "Edit a test",
    description: "A change of content mints the next version; the same content, or a new name alone, does not.",
    tag,
    ...writesProject,
    params,
    body: z.strictObject({
      expected_version_id: idInput("tstv"),
      ...changedTest,
      project,
    }),
    status: 200,
    answer: Test,
    errors: ["name_taken", "version_conflict"],
  }),

  /**
   * Creates and edits many tests, all or none: one that is refused leaves every test as it was. A test with an `id` is edited,
   * and its `expected_version_id` must be current; one without is created. What is left out of a test becomes empty. With
   * `dry_run` everything is checked and nothing is kept.
   */
  import: operation({
    method: "POST",
    path: "/api/tests/import",
    summary: "Create and edit many tests at once",
    description: "All or none: one that is refused leaves every test as it was.",
    tag,
    ...writesProject,
    body: z.strictObject({
      tests: z
        .array(
          z.strictObject({
            id: idInput("tst").optional(),
            expected_version_id: idInput("tstv").optional(),
            ...newTest,
          }),
        )
        .min(1)
        .max(LIMITS.importedTests),
      suite: z.string().min(1).optional().meta({ description: 'Of new tests: id or name; default "Default".' }),
      dry_run: z.boolean().optional(),
      project,
    }),
    status: 200,
    answer: z.strictObject({ tests: z.array(ImportedTest) }),
    errors: ["name_taken", "version_conflict"],
  }),

  /** Lists tests, newest first. */
  list: operation({
    method: "GET",
    path: "/api/tests",
    summary: "List tests",
    tag,
    ...readsProject,
    query: z.strictObject({ project, ...cursorQuery }),
    status: 200,
    answer: cursorPage(Test),
  }),

  /** Answers a test with its current version. */
  get: operation({
    method: "GET",
    path: "/api/tests/{testId}",
    summary: "Show a test",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer: Test,
  }),

  /** Lists a test's versions, newest first. */
  versions: operation({
    method: "GET",
    path: "/api/tests/{testId}/versions",
    summary: "List a test's versions",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({ project, ...cursorQuery }),
    status: 200,
    answer: cursorPage(TestVersion),
  }),

  /** Deletes a test; its versions and run history stay readable. */
  delete: operation({
    method: "DELETE",
    path: "/api/tests/{testId}",
    summary: "Delete a test",
    tag,
    ...writesProject,
    params,
    query,
    status: 204,
  }),

  /** Answers a version, superseded or of a deleted test too. */
  version: operation({
    method: "GET",
    path: "/api/test-versions/{versionId}",
    summary: "Show a test version",
    tag,
    ...readsProject,
    params: z.strictObject({ versionId: idInput("tstv") }),
    query,
    status: 200,
    answer: TestVersion,
  }),

  /** Lists a suite's tests, newest first. */
  listOfSuite: operation({
    method: "GET",
    path: "/v1/tests",
    summary: "List a suite's tests",
    tag,
    ...readsProject,
    query: z.strictObject({ suiteId: idInput("ste"), projectId, ...pageQuery }),
    status: 200,
    answer: z.strictObject({ tests: z.array(SuiteTest), nextPageToken }),
  }),
};

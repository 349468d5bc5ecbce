import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count, positive, versionNumber } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { cursorPage, cursorQuery } from "../core/pagination.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { project } from "../core/selection.ts";
import { nameText } from "../core/texts.ts";
import { ApiBehaviorReading, BehaviorReading } from "./behavior-readings.ts";
import { MockTool } from "./mock-tools.ts";
import { draftFromPrompt } from "./prompt-drafts.ts";
import { behaviors, changedTest, newTest, tag } from "./test-content.ts";
import { draftVariants } from "./variant-drafts.ts";

const readings = <Reading extends z.ZodType>(reading: Reading) =>
  z.array(reading).meta({ description: "How the service understands each expected behavior, in the same order." });

const tags = z.array(z.string()).meta({
  description:
    "Words by which runs and lists select tests, in alphabetical order. A change of the tags creates no version of the test.",
});
const ofTag = tag.optional().meta({ description: "Only tests with this tag." });

const content = {
  scenario: z.string(),
  expected_behaviors: z.array(z.string()),
  readings: readings(ApiBehaviorReading),
  personas: z.array(z.string()),
  mock_tools: z.array(MockTool),
};

/** Test with the content of its current version. */
export const Test = z
  .strictObject({
    id: id("tst"),
    project_id: id("prj"),
    suite_id: id("ste"),
    name: z.string(),
    version: versionNumber,
    version_id: id("tstv").meta({ description: "Immutable id of the current version. Runs pin this id." }),
    ...content,
    tags,
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .meta({ id: "Test" });

/** Test in the list of a suite, with field names in lowerCamelCase as in all `/v1` operations. */
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
    readings: readings(BehaviorReading),
    personas: z.array(z.string()),
    mockTools: z.array(
      z.strictObject({
        tool: z.string(),
        answer: z.unknown().optional(),
        error: z.string().optional(),
        delayMs: count("Delay of the tool's answer in milliseconds."),
        succeedsWhen: z.string().optional(),
      }),
    ),
    tags,
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "SuiteTest" });

/** Immutable version of a test. */
export const TestVersion = z
  .strictObject({
    id: id("tstv"),
    test_id: id("tst"),
    test_name: z.string().meta({ description: "Current name of the test. Names have no versions." }),
    version: positive(),
    current: z
      .boolean()
      .meta({ description: "`false` when a later edit replaced this version, or the test was deleted." }),
    ...content,
    created_at: timestamp(),
  })
  .meta({ id: "TestVersion" });

const ImportedTest = z
  .strictObject({
    result: z
      .enum(["created", "edited", "renamed", "tagged", "unchanged"])
      .meta({ description: "`tagged`: only the tags changed, which creates no version." }),
    name: z.string(),
    id: id("tst").nullable().meta({ description: "Null for a test that a dry run would create." }),
    version: z
      .int()
      .nullable()
      .meta({ override: { type: ["integer", "null"], minimum: 1 } }),
    version_id: id("tstv").nullable().meta({ description: "Null for a version that a dry run would create." }),
    readings: readings(ApiBehaviorReading),
  })
  .meta({ id: "ImportedTest", description: "The result of an import, or of its dry run, for one test." });

const suite = z.string().min(1).optional();
const suiteName = nameText();
const tagList = z.array(tag).max(LIMITS.tags);
const all = { tag: "Tests", path: "/api/tests", answer: Test } as const;
const one = {
  ...all,
  path: "/api/tests/{testId}",
  resource: "test",
  params: z.strictObject({ testId: idInput("tst") }),
} as const;
const query = z.strictObject({ project });

/** Tests of a project, and their versions. */
export const tests = {
  /** Creates a test with version 1. */
  create: createOperation({
    ...all,
    summary: "Create a test",
    body: z.strictObject({
      ...newTest,
      suite: suite.meta({ description: 'Id or name of the suite. Default: the suite "Default".' }),
      unlisted: z.boolean().optional().meta({
        description:
          "`true` creates a test for runs of its version only. In everything else, it is a deleted test from the start: no list has it, and its name stays free.",
      }),
      project,
    }),
    errors: ["name_taken"],
  }),

  /**
   * Edits a test. Changed content creates the next version. Unchanged content, or only a new name, creates no version. Answers 409
   * `version_conflict` when `expected_version_id` is not the current version; `details` then contains `expected_version_id`,
   * `current_version_id` and the `current` test.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a test",
    description:
      "Changed content creates the next version. Unchanged content, or only a new name, creates no version. When `expected_version_id` is not the current version, the answer is 409 `version_conflict`; its `details` contain both version ids and the `current` test.",
    body: z.strictObject({ expected_version_id: idInput("tstv"), ...changedTest, project }),
    errors: ["name_taken", "version_conflict"],
  }),

  /**
   * Creates and edits many tests in one step. When the service rejects one test, no test changes. With `dry_run`, the service checks
   * everything and stores nothing.
   *
   * A test with an `id` is edited, and its `expected_version_id` must be the current version. A test without an `id` is created. When
   * a test omits `personas` or `mock_tools`, the list becomes empty. When it omits `tags`, the tags do not change. With
   * `create_suites`, suites that do not exist are created.
   *
   * An answer with 422 has the issues of all tests in `details.issues`. The path `tests.2.personas.0` is the first persona of the
   * third test.
   */
  import: operation({
    ...writesProject,
    method: "POST",
    path: "/api/tests/import",
    summary: "Create and edit many tests at once",
    description:
      "A test with an `id` is edited, and its `expected_version_id` must be the current version. A test without an `id` is created. When the service rejects one test, no test changes, and `details.issues` lists the problems of all tests.",
    tag: "Tests",
    body: z.strictObject({
      tests: z
        .array(
          z.strictObject({
            id: idInput("tst").optional(),
            expected_version_id: idInput("tstv").optional(),
            ...newTest,
            suite: suiteName.optional().meta({
              description:
                "Id or name of the test's suite, which replaces the `suite` of the whole request. An edit cannot move a test: the service rejects an edit that names another suite.",
            }),
            tags: tagList.optional().meta({
              description: "The tags of the test. When this member is missing, the tags do not change.",
            }),
          }),
        )
        .min(1)
        .max(LIMITS.importedTests),
      suite: suiteName
        .optional()
        .meta({ description: 'Id or name of the suite for new tests. Default: the suite "Default".' }),
      create_suites: z.boolean().optional().meta({ description: "Whether to create suites that do not exist yet." }),
      dry_run: z.boolean().optional(),
      project,
    }),
    status: 200,
    answer: z.strictObject({ tests: z.array(ImportedTest) }),
    errors: ["name_taken", "version_conflict"],
  }),

  /**
   * Returns how the service understands each sentence, in the same order. `has_judge` is true when the service has a language
   * model, which judges the sentences that fit no form. Stores nothing.
   *
   * The answer also has an item for a sentence that a new test may not have. The member `problem` then says what to correct. With
   * `mock_tools`, the items also say the condition under which a call of a tool succeeds.
   */
  readBehaviors: operation({
    ...readsProject,
    method: "POST",
    path: "/api/behaviors/readings",
    audit: { leftOut: "It stores nothing." },
    summary: "Show how the service understands behaviors",
    description:
      "Returns how the service understands each sentence, in the same order. The answer also has an item for a sentence that a new test may not have. The member `problem` then says what to correct. With `mock_tools`, the items also say under which condition a call of a tool succeeds. The sentences are not stored.",
    tag: "Tests",
    body: z.strictObject({ behaviors, mock_tools: newTest.mock_tools, project }),
    status: 200,
    answer: z.strictObject({
      readings: z.array(ApiBehaviorReading),
      has_judge: z.boolean().meta({ description: "Whether the service has a language model that judges." }),
      forms: z.array(z.string()).meta({ description: "A sentence of each form that code decides." }),
    }),
  }),

  draftFromPrompt,
  draftVariants,

  /** Lists tests, newest first. */
  list: getOperation({
    ...all,
    summary: "List tests",
    query: z.strictObject({ project, tag: ofTag, ...cursorQuery }),
    answer: cursorPage(Test),
  }),

  /** Returns a test with its current version. */
  get: getOperation({ ...one, summary: "Show a test", query }),

  /** Lists a test's versions, newest first. */
  versions: getOperation({
    ...one,
    path: "/api/tests/{testId}/versions",
    summary: "List a test's versions",
    query: z.strictObject({ project, ...cursorQuery }),
    answer: cursorPage(TestVersion),
  }),

  /** Replaces the tags of a test. Tags do not belong to the content of a test, so this creates no version. */
  setTags: operation({
    ...one,
    ...writesProject,
    method: "PUT",
    path: "/api/tests/{testId}/tags",
    summary: "Replace a test's tags",
    description: "Tags do not belong to the content of a test, so a change of the tags creates no version.",
    body: z.strictObject({ tags: tagList, project }),
    status: 200,
  }),

  /** Deletes a test. Its versions and its results in runs stay readable. */
  delete: deleteOperation({ ...one, summary: "Delete a test", query }),

  /** Returns a version of a test: the current one, a replaced one, or one of a deleted test. */
  version: getOperation({
    path: "/api/test-versions/{versionId}",
    summary: "Show a test version",
    tag: "Tests",
    resource: "testVersion",
    params: z.strictObject({ versionId: idInput("tstv") }),
    query,
    answer: TestVersion,
  }),

  /** Lists a suite's tests, newest first. */
  listOfSuite: listOperation({
    path: "/v1/tests",
    summary: "List a suite's tests",
    tag: "Tests",
    items: { tests: SuiteTest },
    filters: { suiteId: idInput("ste"), tag: ofTag },
  }),
};

import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { nameText } from "../core/texts.ts";

/** Test suite: a group of tests that a run can play together. */
export const TestSuite = z
  .strictObject({
    id: id("ste"),
    projectId: id("prj"),
    name: z.string(),
    isDefault: z.boolean().meta({
      description: "Whether new tests without a suite go into this suite. The default suite cannot be deleted.",
    }),
    testCount: count(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "TestSuite" });

const name = nameText().meta({ description: "Unique in the project." });
const all = {
  tag: "Test suites",
  path: "/v1/test-suites",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ testSuite: TestSuite }),
} as const;
const one = {
  ...all,
  path: "/v1/test-suites/{suiteId}",
  resource: "suite",
  params: z.strictObject({ suiteId: idInput("ste") }),
} as const;

/** Test suites of a project. */
export const suites = {
  /** Lists the suites, newest first. A project has exactly one default suite. */
  list: listOperation({ ...all, summary: "List test suites", items: { testSuites: TestSuite } }),

  /** Creates a suite. */
  create: createOperation({
    ...all,
    summary: "Create a test suite",
    body: z.strictObject({ name }),
    errors: ["name_taken"],
  }),

  /** Returns a suite with the number of its tests. */
  get: getOperation({ ...one, summary: "Show a test suite" }),

  /** Renames a suite. */
  edit: editOperation({
    ...one,
    summary: "Rename a test suite",
    body: z.strictObject({ name }),
    errors: ["name_taken"],
  }),

  /**
   * Deletes a suite and its tests. The versions of the tests and their results in runs stay readable. Answers 409 `conflict` for the
   * default suite.
   */
  delete: deleteOperation({
    ...one,
    summary: "Delete a test suite and its tests",
    errors: ["conflict"],
  }),
};

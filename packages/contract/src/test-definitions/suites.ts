import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

/** A group of tests that are run together. */
export const TestSuite = z
  .strictObject({
    id: id("ste"),
    projectId: id("prj"),
    name: z.string(),
    isDefault: z
      .boolean()
      .meta({ description: "The suite that takes tests created without one; it cannot be deleted." }),
    testCount: count(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "TestSuite" });

const name = textUpTo(LIMITS.nameCharacters).meta({ description: "Unique in the project." });
const params = z.strictObject({ suiteId: idInput("ste") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ testSuite: TestSuite });
const tag = "Test suites";

/** The project's test suites. */
export const suites = {
  /** Lists the suites, the newest first; one of them is the default. */
  list: operation({
    method: "GET",
    path: "/v1/test-suites",
    summary: "List test suites",
    tag,
    ...readsProject,
    query: z.strictObject({ projectId, ...pageQuery }),
    status: 200,
    answer: z.strictObject({ testSuites: z.array(TestSuite), nextPageToken }),
  }),

  /** Creates a suite. */
  create: operation({
    method: "POST",
    path: "/v1/test-suites",
    summary: "Create a test suite",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({ name }),
    status: 201,
    answer,
    errors: ["name_taken"],
  }),

  /** Answers a suite with the number of its tests. */
  get: operation({
    method: "GET",
    path: "/v1/test-suites/{suiteId}",
    summary: "Show a test suite",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /** Renames a suite; the default one too. */
  edit: operation({
    method: "PATCH",
    path: "/v1/test-suites/{suiteId}",
    summary: "Rename a test suite",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({ name }),
    status: 200,
    answer,
    errors: ["name_taken"],
  }),

  /** Deletes a suite with its tests; versions and run history stay readable. The default suite is refused with 409. */
  delete: operation({
    method: "DELETE",
    path: "/v1/test-suites/{suiteId}",
    summary: "Delete a test suite and its tests",
    tag,
    ...writesProject,
    params,
    query,
    status: 204,
    errors: ["conflict"],
  }),
};

import { z } from "zod";
import { readsProject, writesProject } from "./access.ts";
import { id, idInput, timestamp } from "./ids.ts";
import { LIMITS } from "./limits.ts";
import { count } from "./numbers.ts";
import { operation } from "./operation.ts";
import { nextPageToken, pageQuery } from "./pagination.ts";
import { projectId } from "./selection.ts";
import { textUpTo } from "./texts.ts";

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

export const suites = {
  /** The test suites of the project, newest first. */
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

  /** Makes an empty suite. */
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

  /** A test suite by its id. */
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

  /** Gives it another name; its tests stay. */
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

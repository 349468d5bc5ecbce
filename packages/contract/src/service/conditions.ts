import { z } from "zod";
import { overseesOrganization } from "../core/access.ts";
import { id, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";

/**
 * Problem of the running service, with its remedy.
 *
 * `organizationId` is null for a condition of the whole service. The message of such a condition names only the kind of problem,
 * and its `count` is null, because the details concern all organizations. The service's log has the details for the operator.
 *
 * `degrades` is true for a condition that makes `/health` answer `degraded: true`. `needsAction` is false for a condition that ends
 * by itself or only informs. `since` is the time of the first report, and `at` is the time of the newest report.
 */
export const Condition = z
  .strictObject({
    code: z.string(),
    organizationId: id("org").nullable(),
    projectId: id("prj").nullable(),
    degrades: z.boolean(),
    needsAction: z.boolean(),
    message: z.string(),
    remedy: z.string(),
    mend: z.string().meta({
      deprecated: true,
      description: "The former name of `remedy`. The next version of the API has only `remedy`.",
    }),
    count: count().nullable(),
    since: timestamp(),
    at: timestamp(),
  })
  .meta({ id: "Condition" });
/** Condition in an answer of the API. */
export type Condition = z.infer<typeof Condition>;

/** Conditions: problems of the running service. */
export const conditions = {
  /** Returns the current problems of the organization, its projects and the whole service, oldest first. Requires the role admin. */
  list: operation({
    ...overseesOrganization,
    method: "GET",
    path: "/v1/conditions",
    audit: { leftOut: "The pages for admins send this request all the time." },
    summary: "List the problems of the service",
    description:
      "Conditions of the whole service have no organization and no count, and name only the kind of problem; the service's log has the details.",
    tag: "Service",
    status: 200,
    answer: z.strictObject({ conditions: z.array(Condition) }),
  }),
};

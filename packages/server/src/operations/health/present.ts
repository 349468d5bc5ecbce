import type * as Wire from "@svc/contract";
import type { Condition } from "../../base/conditions.ts";

/** Returns the conditions that an organization may see, those of the whole service without their details. */
export const presentConditions = (conditions: readonly Condition[], organizationId: string): Wire.Condition[] =>
  conditions
    .filter((condition) => condition.organizationId === null || condition.organizationId === organizationId)
    .map((condition) => (condition.organizationId === null ? withoutDetails(condition) : condition))
    .map((condition) => ({ ...condition, mend: condition.remedy }));

const withoutDetails = (condition: Condition) => ({
  ...condition,
  message: `The whole service has a problem: ${condition.code.replaceAll("_", " ")}.`,
  remedy: "Ask the operator of the service. The service's log has the details.",
  count: null,
});

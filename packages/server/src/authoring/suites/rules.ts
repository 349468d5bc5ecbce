import { AppError } from "../../base/errors.ts";
import type { Schema } from "../../stores/schema.ts";

export type SuiteRow = Schema["suites"];

/** Refuses to delete the default suite. */
export function refuseDefault(suite: SuiteRow): void {
  if (suite.is_default === 0) return;
  throw new AppError(
    "conflict",
    "The default suite cannot be deleted, because tests without a suite belong to it. Delete its tests instead.",
  );
}

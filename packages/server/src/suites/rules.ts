import type { TestSuite } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

export type SuiteRow = Schema["suites"] & { test_count: number };

export function refuseDefault(suite: SuiteRow): void {
  if (suite.is_default === 0) return;
  throw new AppError(
    "conflict",
    "The default suite takes tests created without a suite and stays; delete its tests instead.",
  );
}

export function presentSuite(row: SuiteRow): z.infer<typeof TestSuite> {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    isDefault: row.is_default === 1,
    testCount: row.test_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

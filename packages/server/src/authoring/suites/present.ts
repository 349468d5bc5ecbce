import type { TestSuite } from "@svc/contract";
import type { z } from "zod";
import type { SuiteRow } from "./rules.ts";

export function presentSuite(row: SuiteRow, testCount: number): z.infer<typeof TestSuite> {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    isDefault: row.is_default === 1,
    testCount,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

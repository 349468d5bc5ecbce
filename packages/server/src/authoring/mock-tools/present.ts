import type { ProjectMockTool } from "@svc/contract";
import type { z } from "zod";
import { contentOf, type MockToolRow } from "./rules.ts";

export function presentMockTool(row: MockToolRow): z.infer<typeof ProjectMockTool> {
  const { tool, outcome, delayMs, succeedsWhen, agentIds } = contentOf(row);
  return {
    id: row.id,
    projectId: row.project_id,
    tool,
    ...outcome,
    delayMs,
    ...(succeedsWhen !== undefined && { succeedsWhen }),
    agentIds,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

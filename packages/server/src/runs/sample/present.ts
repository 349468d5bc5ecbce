import type { ProjectSample } from "@svc/contract";
import type { SampleRow } from "./store.ts";

export const presentSample = (row: SampleRow): ProjectSample => ({
  agentId: row.agent_id,
  connectionId: row.connection_id,
  suiteId: row.suite_id,
  runId: row.run_id,
  createdAt: row.created_at,
});

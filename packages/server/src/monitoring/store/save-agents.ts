import { newId } from "../../base/ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { MonitoredAgentRow } from "./rows.ts";

export type ChosenAgent = { id: string; name: string };

/**
 * Stores the chosen agents of a setup. Agents that were stored before keep their progress. Deletes the agents that are not chosen any more.
 */
export async function saveAgents(tx: Db, setupId: string, chosen: ChosenAgent[]): Promise<void> {
  const ids = chosen.map(({ id }) => id);
  await tx
    .updateTable("monitored_agents")
    .set((eb) => ({ dropped: 1, lease: eb("lease", "+", 1), leased_until_ms: 0 }))
    .where("setup_id", "=", setupId)
    .where("dropped", "=", 0)
    .where("platform_agent_id", "not in", ids)
    .execute();
  await tx
    .insertInto("monitored_agents")
    .values(chosen.map((agent) => newAgent(setupId, agent)))
    .onConflict((conflict) =>
      conflict.columns(["setup_id", "platform_agent_id"]).doUpdateSet((eb) => ({
        platform_agent_name: eb.ref("excluded.platform_agent_name"),
        dropped: 0,
        next_turn_ms: 0,
      })),
    )
    .execute();
}

const newAgent = (setupId: string, { id, name }: ChosenAgent): MonitoredAgentRow => ({
  id: newId("mag"),
  setup_id: setupId,
  platform_agent_id: id,
  platform_agent_name: name,
  dropped: 0,
  scan_kind: null,
  scan_from_ms: null,
  scan_to_ms: null,
  scan_ended_from_ms: null,
  scan_reached_ms: null,
  scan_page_key: null,
  scan_pages: 0,
  scan_imported: 0,
  scan_done: 1,
  polled_to_ms: null,
  late_to_ms: null,
  reconciled_to_ms: null,
  next_turn_ms: 0,
  lease: 0,
  leased_until_ms: 0,
  last_success_at: null,
  last_conversation_at: null,
});

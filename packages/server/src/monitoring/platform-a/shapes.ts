import { z } from "zod";

const id = z.string().min(1).max(200);
const name = z.string().nullish().catch(null);

const page = { has_more: z.boolean(), pagination_key: z.string().nullish() };

const Agent = z.object({ agent_id: id, agent_name: name });
const ListedAgent = Agent.extend({ channel: name });

export const AgentAnswer = Agent;
export const AgentsPage = z.object({ ...page, items: z.array(ListedAgent) });

/** Answer of the platform's older list of agents: every version of every voice agent. */
export const AgentVersions = z.array(ListedAgent.extend({ version: z.number().catch(0) }));

const time = z.number().optional().catch(undefined);
export const CallsPage = z.object({
  ...page,
  items: z.array(
    z.object({
      call_id: id,
      agent_id: name,
      call_status: z.string().catch(""),
      start_timestamp: time,
      end_timestamp: time,
    }),
  ),
});

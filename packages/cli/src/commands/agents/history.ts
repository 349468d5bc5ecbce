import { command } from "../../command.ts";
import { argument, limitFlag } from "../../flags.ts";
import { pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { passRatesText } from "../../runs/pass-rate-text.ts";

export default command({
  summary: "Show an agent's pass rate in each of its runs",
  description:
    "Undecided simulations count as not passed. Errors of the service and the network do not count. With five tests or more, the 95 % bootstrap interval over tests is in parentheses.",
  examples: ['<%= config.bin %> agents history "Front desk"'],
  args: { agent: argument("Id or exact name of the agent.") },
  flags: { limit: limitFlag() },
  async run({ args, startSession, flags: { limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const agentId = await idOf(session, "agent", args.agent);
    return take(pages(client.runs.passRatesOfAgent, { agentId, projectId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: passRatesText,
});

import { Flags } from "@oclif/core";
import { GROUP_STATES, type GroupState } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { limitFlag, sourceFlag } from "../../flags.ts";
import { agentNamesText, groupStateText, trendText } from "../../groups/group-text.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List groups of conversations that failed in the same way",
  description:
    "The service groups failed simulations and production conversations by what failed and then by the words of the failing turn. The group with the newest failure is first.",
  examples: [
    "<%= config.bin %> groups list --state open",
    "<%= config.bin %> groups list --sort size --agent Hotel --source production",
  ],
  flags: {
    state: Flags.option({
      options: Object.keys(GROUP_STATES) as GroupState[],
      description: "Only groups in this state.",
    })(),
    agent: Flags.string({ description: "Only groups with failures of the agent with this name." }),
    source: sourceFlag(),
    sort: Flags.option({
      options: ["last_seen", "size"] as const,
      description: "Which group comes first: the one with the newest failure, or the largest one.",
      default: "last_seen",
    })(),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { limit, ...filters } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.groups.list, { projectId, ...filters, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list, { flags }) =>
    table(
      list.items,
      [
        { title: "last seen", cell: ({ lastSeenAt }) => ago(lastSeenAt) },
        { title: "failures", cell: ({ size }) => String(size), right: true },
        { title: "14 days", cell: trendText, spare: 3 },
        { title: "state", cell: groupStateText },
        { title: "what failed", cell: ({ whatText }) => whatText, cut: true },
        { title: "agents", cell: agentNamesText, cut: true, spare: 2 },
        { title: "typical words", cell: ({ title }) => title ?? "", cut: true, spare: 1 },
        idColumn,
      ],
      flags.state === undefined && flags.agent === undefined && flags.source === undefined
        ? "No failure groups. A failed simulation makes one, and a production conversation that a grader decides against."
        : "No such group.",
    ) + moreLine(list),
});

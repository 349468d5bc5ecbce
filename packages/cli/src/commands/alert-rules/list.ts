import { badWhenText } from "@svc/contract/constants";
import { agentsText, ruleStateText, windowText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";

export default command({
  summary: "List the rules that raise alerts, newest first",
  examples: ["<%= config.bin %> alert-rules list", "<%= config.bin %> alert-rules list --json"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.alertRules.list, { projectId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "state", cell: ruleStateText },
        { title: "window", cell: ({ windowMinutes }) => windowText(windowMinutes), right: true, spare: 2 },
        { title: "agents", cell: agentsText, cut: true, spare: 1 },
        { title: "severity", cell: ({ severity }) => severity, spare: 3 },
        idColumn,
        { title: "bad when", cell: badWhenText },
      ],
      "No alert rules. To add a ready one: svc alert-rules create --ready slow-answers",
    ) + moreLine(list),
});

import { Flags } from "@oclif/core";
import { ALERT_STATES, alertLimitText } from "@svc/contract/constants";
import { agentText, alertValueText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List the alerts that rules have raised, newest first",
  examples: ["<%= config.bin %> alerts list --state open", '<%= config.bin %> alerts list --rule "Hotel is slow"'],
  flags: {
    state: Flags.option({ options: ALERT_STATES, description: "Only alerts in this state." })(),
    rule: Flags.string({ description: "Only alerts of this rule, by its id or exact name." }),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { state, rule, limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const alertRuleId = rule === undefined ? undefined : await idOf(session, "alert-rule", rule);
    return take(pages(client.alerts.list, { projectId, state, alertRuleId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list, { flags }) =>
    table(
      list.items,
      [
        { title: "raised", cell: ({ raisedAt }) => ago(raisedAt) },
        { title: "state", cell: ({ state, acknowledgedAt }) => (acknowledgedAt ? `${state}, acknowledged` : state) },
        { title: "severity", cell: ({ severity }) => severity, spare: 3 },
        { title: "agent", cell: agentText, cut: true },
        { title: "what", cell: ({ what }) => what, cut: true, spare: 2 },
        { title: "value", cell: alertValueText, right: true },
        { title: "limit", cell: alertLimitText },
        { title: "rule", cell: ({ ruleName }) => ruleName, cut: true, spare: 1 },
        { title: "id", cell: ({ id }) => id, whole: true },
      ],
      flags.state === undefined && flags.rule === undefined
        ? "No alerts. A rule raises them: svc alert-rules list"
        : `No such alert${flags.state === undefined ? "" : ` is ${flags.state}`}.`,
    ) + moreLine(list),
});

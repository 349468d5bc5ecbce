import { Flags } from "@oclif/core";
import type { AlertRule, Destination } from "@svc/contract";
import { readyFlag, readyRulesHelp, ruleFlags, wholeRuleOf } from "../../alerts/rule-flags.ts";
import { tellFlags, toldBy, withSlack } from "../../alerts/tell-flags.ts";
import { ruleText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Add a rule that raises an alert when a measure, a share or a number is bad",
  description: `It judges the last whole window at once, and then each window one minute after its end. \`svc alert-rules preview\` shows first what it would have raised. The ready rules are: ${readyRulesHelp()}`,
  examples: [
    '<%= config.bin %> alert-rules create --name "Hotel is slow" --measure response_latency --statistic p95 --above 2s --agent Hotel --window 1h',
    "<%= config.bin %> alert-rules create --ready slow-answers --agent Hotel --tell-slack < slack-url.txt",
    '<%= config.bin %> alert-rules create --name "Booking fails" --tool-errors --tool book_room --above 10%',
    "<%= config.bin %> alert-rules create --ready no-conversations --agent Hotel",
  ],
  flags: {
    name: Flags.string({
      description: "Name of the rule, unique in the project. Default: the name of the ready rule.",
    }),
    ready: readyFlag(),
    ...ruleFlags(),
    ...tellFlags(),
  },
  async run({ startSession, flags }) {
    const { name, ...rule } = wholeRuleOf(flags, flags.ready, flags.name);
    if (name === undefined) throw usage('Name the rule with --name, such as --name "Hotel is slow".');
    const session = await startSession();
    const { client, projectId, pages } = session;
    const told = await toldBy(session, flags);
    const create = (destinationIds = told.destinationIds) =>
      client.alertRules.create({ ...rule, ...told, destinationIds, name, projectId });
    const { alertRule } = flags["tell-slack"]
      ? await withSlack(session, name, (id) => create([...(told.destinationIds ?? []), id]))
      : await create();
    const destinations: string[] = [];
    for await (const destination of pages(client.destinations.list, { projectId, pageSize: 200 }))
      if (isTold(destination, alertRule)) destinations.push(destination.name);
    return { ...alertRule, destinations };
  },
  show: ({ destinations, ...rule }) =>
    [
      `Created ${ruleText(rule)}`,
      `To see what it would have raised in the last 30 days: svc alert-rules preview ${rule.id}`,
      destinations.length === 0
        ? `Nobody hears of its alerts yet. To tell a channel in Slack: svc alert-rules edit ${rule.id} --tell-slack`
        : `Its alerts are sent to ${destinations.join(", ")}.`,
    ].join("\n\n"),
});

const isTold = ({ id, eventTypes, agents, paused }: Destination, rule: AlertRule): boolean =>
  !paused &&
  (rule.destinationIds.length > 0 ? rule.destinationIds.includes(id) : isChosen({ eventTypes, agents }, rule));

const isChosen = ({ eventTypes, agents }: Pick<Destination, "eventTypes" | "agents">, rule: AlertRule): boolean =>
  eventTypes.includes("alert.raised") &&
  (agents.length === 0 || (rule.agents.length > 0 && rule.agents.every((agent) => agents.includes(agent))));

import { ruleArgument, ruleOf } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";
import { yesFlag } from "../../flags.ts";

export default command({
  summary: "Delete an alert rule with its alerts",
  description:
    "Its alerts are deleted too; events stay. To keep them, disable the rule with `svc alert-rules disable`. Asks for confirmation.",
  examples: ['<%= config.bin %> alert-rules delete "Hotel is slow" --yes'],
  args: { rule: ruleArgument() },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const rule = await ruleOf(session, invocation.args.rule);
    await invocation.confirm(`Delete the alert rule "${rule.name}" with its alerts?`);
    await session.client.alertRules.delete({ alertRuleId: rule.id, projectId: session.projectId });
    return { deleted: rule };
  },
  show: ({ deleted }) => `Deleted the alert rule "${deleted.name}" (${deleted.id}).`,
});

import { Flags } from "@oclif/core";
import { changesOf, ruleFlags } from "../../alerts/rule-flags.ts";
import { ruleText } from "../../alerts/rule-text.ts";
import { ruleArgument, ruleOf } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Edit an alert rule",
  description:
    "Changes only what the flags name; --agent replaces all agents. A change of what it watches, or of when it raises an alert, clears its open alerts and starts anew.",
  examples: [
    '<%= config.bin %> alert-rules edit "Hotel is slow" --above 3s --in-row 2',
    '<%= config.bin %> alert-rules edit "Hotel is slow" --name "Hotel is very slow" --severity critical',
  ],
  args: { rule: ruleArgument() },
  flags: {
    name: Flags.string({ description: "New name." }),
    "every-agent": Flags.boolean({ description: "Watch every agent that has conversations.", exclusive: ["agent"] }),
    "every-version": Flags.boolean({ description: "Count all versions of the agents.", exclusive: ["agent-version"] }),
    ...ruleFlags(),
  },
  async run({ args, startSession, flags }) {
    const agents = flags["every-agent"] ? { agents: [] } : {};
    const session = await startSession();
    const rule = await ruleOf(session, args.rule);
    const versions = flags["every-version"] ? { agentVersions: [] } : {};
    const changes = { ...changesOf(flags, rule), ...agents, ...versions, ...(flags.name !== undefined && { name: flags.name }) };
    if (Object.keys(changes).length === 0)
      throw usage("Nothing to change. Set --name, --above, --below or another flag of `svc alert-rules edit --help`.");
    const edit = { ...changes, alertRuleId: rule.id, projectId: session.projectId };
    return (await session.client.alertRules.edit(edit)).alertRule;
  },
  show: (rule) => `Now ${ruleText(rule)}`,
});

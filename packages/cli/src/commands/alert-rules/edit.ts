import { Flags } from "@oclif/core";
import { changesOf, ruleFlags } from "../../alerts/rule-flags.ts";
import { tellFlags, toldBy, withSlack } from "../../alerts/tell-flags.ts";
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
    "every-channel": Flags.boolean({ description: "Count all channels.", exclusive: ["channel"] }),
    ...ruleFlags(),
    ...tellFlags(),
  },
  async run({ args, startSession, flags }) {
    const agents = flags["every-agent"] ? { agents: [] } : {};
    const session = await startSession();
    const rule = await ruleOf(session, args.rule);
    const versions = flags["every-version"] ? { agentVersions: [] } : {};
    const channels = flags["every-channel"] ? { channels: [] } : {};
    const named = flags.name === undefined ? {} : { name: flags.name };
    const all = { ...agents, ...versions, ...channels };
    const changes = { ...changesOf(flags, rule), ...all, ...named, ...(await toldBy(session, flags)) };
    const tellsSlack = flags["tell-slack"];
    if (Object.keys(changes).length === 0 && !tellsSlack)
      throw usage("Nothing to change. Set --name, --above, --below or another flag of `svc alert-rules edit --help`.");
    const edit = { ...changes, alertRuleId: rule.id, projectId: session.projectId };
    const write = (more: { destinationIds?: string[] } = {}) => session.client.alertRules.edit({ ...edit, ...more });
    const { destinationIds = rule.destinationIds } = changes;
    const { alertRule } = tellsSlack
      ? await withSlack(session, changes.name ?? rule.name, (id) => write({ destinationIds: [...destinationIds, id] }))
      : await write();
    return alertRule;
  },
  show: (rule) => `Now ${ruleText(rule)}`,
});

import { Flags } from "@oclif/core";
import { editRule, ruleArgument, ruleOf } from "../../alerts/stored-rule.ts";
import { ruleStateText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";

export default command({
  summary: "End the mutes of an alert rule, or the mute of one agent",
  description: "It tells of later alerts again. Alerts that were raised during the mute are not told afterwards.",
  examples: [
    '<%= config.bin %> alert-rules unmute "Hotel is slow"',
    '<%= config.bin %> alert-rules unmute "Answers are slow" --agent Hotel',
  ],
  args: { rule: ruleArgument() },
  flags: { agent: Flags.string({ description: "End only the mute of this agent, by its exact name." }) },
  async run({ args, startSession, flags: { agent } }) {
    const session = await startSession();
    if (agent === undefined) return editRule(session, args.rule, { mutedUntil: null, mutedAgents: [] });
    const { mutedAgents } = await ruleOf(session, args.rule);
    return editRule(session, args.rule, { mutedAgents: mutedAgents.filter(({ agentName }) => agentName !== agent) });
  },
  show: (rule) => `"${rule.name}" tells of its alerts again: ${ruleStateText(rule)}.`,
});

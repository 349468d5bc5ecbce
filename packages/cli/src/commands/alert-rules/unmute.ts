import { editRule, ruleArgument } from "../../alerts/stored-rule.ts";
import { ruleStateText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";

export default command({
  summary: "End the mute of an alert rule",
  description: "It tells of later alerts again. Alerts that were raised during the mute are not told afterwards.",
  examples: ['<%= config.bin %> alert-rules unmute "Hotel is slow"'],
  args: { rule: ruleArgument() },
  run: async ({ args, startSession }) => editRule(await startSession(), args.rule, { mutedUntil: null }),
  show: (rule) => `"${rule.name}" tells of its alerts again: ${ruleStateText(rule)}.`,
});

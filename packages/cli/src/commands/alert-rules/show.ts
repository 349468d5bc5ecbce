import { ruleArgument, ruleOf } from "../../alerts/stored-rule.ts";
import { ruleText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";

export default command({
  summary: "Show an alert rule: what it watches, and how it goes",
  examples: ['<%= config.bin %> alert-rules show "Hotel is slow"'],
  args: { rule: ruleArgument() },
  run: async ({ args, startSession }) => ruleOf(await startSession(), args.rule),
  show: ruleText,
});

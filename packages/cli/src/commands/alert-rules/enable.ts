import { editRule, ruleArgument } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";

export default command({
  summary: "Let an alert rule judge windows again",
  description: "It starts with the last whole window. Windows before it are not judged afterwards.",
  examples: ['<%= config.bin %> alert-rules enable "Hotel is slow"'],
  args: { rule: ruleArgument() },
  run: async ({ args, startSession }) => editRule(await startSession(), args.rule, { enabled: true }),
  show: ({ name }) => `Enabled "${name}". It judges the last whole window now.`,
});

import { editRule, ruleArgument } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";

export default command({
  summary: "Stop an alert rule from judging windows",
  description: "Its open alerts are cleared, and it raises none until `svc alert-rules enable`.",
  examples: ['<%= config.bin %> alert-rules disable "Hotel is slow"'],
  args: { rule: ruleArgument() },
  run: async ({ args, startSession }) => editRule(await startSession(), args.rule, { enabled: false }),
  show: ({ id, name }) => `Disabled "${name}". To enable it again: svc alert-rules enable ${id}`,
});

import { Flags } from "@oclif/core";
import { editRule, ruleArgument } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";
import { laterInstant, moment } from "../../terminal/times.ts";

export default command({
  summary: "Send no alerts of a rule until a time",
  description: "Its alerts are still recorded. `svc alert-rules unmute` ends it earlier.",
  examples: ['<%= config.bin %> alert-rules mute "Hotel is slow" --until 4h'],
  args: { rule: ruleArgument() },
  flags: {
    until: Flags.string({
      description: "End of the mute: 30m, 4h or 7d from now, or a time such as 2026-11-21T09:30:00Z.",
      required: true,
      helpValue: "<time>",
    }),
  },
  run: async ({ args, startSession, flags }) => {
    const mutedUntil = laterInstant(flags.until);
    return editRule(await startSession(), args.rule, { mutedUntil });
  },
  show: ({ id, name, mutedUntil }) =>
    `"${name}" tells nobody until ${moment(mutedUntil ?? "")}. To end it earlier: svc alert-rules unmute ${id}`,
});

import { Flags } from "@oclif/core";
import { mutedAgentText } from "../../alerts/rule-text.ts";
import { editRule, ruleArgument, ruleOf } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";
import { laterInstant, moment } from "../../terminal/times.ts";

export default command({
  summary: "Send no alerts of a rule until a time, for all its agents or for one",
  description: "Its alerts are still recorded. `svc alert-rules unmute` ends it earlier.",
  examples: [
    '<%= config.bin %> alert-rules mute "Hotel is slow" --until 4h',
    '<%= config.bin %> alert-rules mute "Answers are slow" --agent Hotel --until 7d',
  ],
  args: { rule: ruleArgument() },
  flags: {
    until: Flags.string({
      description: "End of the mute: 30m, 4h or 7d from now, or a time such as 2026-11-21T09:30:00Z.",
      required: true,
      helpValue: "<time>",
    }),
    agent: Flags.string({ description: "Mute only this agent, by its exact name." }),
  },
  async run({ args, startSession, flags: { until, agent } }) {
    const time = laterInstant(until);
    const session = await startSession();
    if (agent === undefined) return editRule(session, args.rule, { mutedUntil: time });
    const { mutedAgents } = await ruleOf(session, args.rule);
    const others = mutedAgents.filter(({ agentName }) => agentName !== agent);
    return editRule(session, args.rule, { mutedAgents: [...others, { agentName: agent, until: time }] });
  },
  show({ id, name, mutedUntil, mutedAgents }) {
    const muted = mutedAgents.map(mutedAgentText);
    const lines = [
      ...(mutedUntil === null ? [] : [`"${name}" tells nobody until ${moment(mutedUntil)}.`]),
      ...(muted.length === 0 ? [] : [`"${name}" is muted for ${muted.join(", ")}.`]),
    ];
    return `${lines.join("\n")} To end it earlier: svc alert-rules unmute ${id}`;
  },
});

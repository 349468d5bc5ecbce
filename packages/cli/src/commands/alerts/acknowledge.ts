import { Flags } from "@oclif/core";
import { alertText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Note that you take care of an alert",
  description:
    "Everybody in the project sees who acknowledged it, and the note. The alert stays open until what it watches is good again.",
  examples: ['<%= config.bin %> alerts acknowledge alt_01k7m2x3v4e5f6g7h8j9k0m1n2 --note "The model is slow today."'],
  args: { alert: argument("Id of the alert, from `svc alerts list`.") },
  flags: { note: Flags.string({ description: "Why it happened, or what you do about it. Replaces an earlier note." }) },
  async run({ args, startSession, flags: { note } }) {
    const { client, projectId } = await startSession();
    return (await client.alerts.acknowledge({ alertId: args.alert, projectId, note })).alert;
  },
  show: (alert) => `Acknowledged ${alertText(alert)}`,
});

import { alertText } from "../../alerts/rule-text.ts";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Show an alert: its value, its window, and who takes care of it",
  examples: ["<%= config.bin %> alerts show alt_01k7m2x3v4e5f6g7h8j9k0m1n2"],
  args: { alert: argument("Id of the alert, from `svc alerts list`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.alerts.get({ alertId: args.alert, projectId })).alert;
  },
  show: alertText,
});

import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { oneLine } from "../../terminal/output.ts";

export default command({
  summary: "Delete a saved view",
  description: "The view is deleted for everybody in the project. No conversation is deleted. Asks for confirmation.",
  examples: ["<%= config.bin %> views delete Errors", "<%= config.bin %> views delete Errors --yes"],
  args: { view: argument("Id or exact name of the view.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const viewId = await idOf(session, "view", invocation.args.view);
    const { view } = await client.views.get({ viewId, projectId });
    await invocation.confirm(`Delete the view "${oneLine(view.name)}" for everybody in the project?`);
    await client.views.delete({ viewId, projectId });
    return { deleted: view };
  },
  show: ({ deleted }) => `Deleted the view "${oneLine(deleted.name)}" (${deleted.id}).`,
});

import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { oneLine } from "../../terminal/output.ts";

export default command({
  summary: "Rename a saved view",
  examples: ['<%= config.bin %> views rename Errors "Errors today"'],
  args: { view: argument("Id or exact name of the view."), name: argument("New name, unique in the project.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const viewId = await idOf(session, "view", args.view);
    return (await session.client.views.edit({ viewId, name: args.name, projectId: session.projectId })).view;
  },
  show: ({ id, name }) => `The view ${id} is now "${oneLine(name)}".`,
});

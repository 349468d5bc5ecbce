import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Archive a grader",
  description: "The grader grades no further conversations. Its grades stay.",
  examples: ['<%= config.bin %> graders archive "No promises"'],
  args: { grader: argument("Id or exact name of the grader.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const graderId = await idOf(session, "grader", args.grader);
    return (await session.client.graders.archive({ graderId, projectId: session.projectId })).grader;
  },
  show: ({ id, name }) => `Archived "${name}". To restore it: svc graders restore ${id}`,
});

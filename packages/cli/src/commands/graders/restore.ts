import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Restore an archived grader",
  examples: [
    '<%= config.bin %> graders restore "No promises"',
    '<%= config.bin %> graders restore "No promises" --name "No promises, strict"',
  ],
  args: { grader: argument("Id or exact name of the archived grader.") },
  flags: { name: Flags.string({ description: "New name, if another grader now has the old name." }) },
  async run({ args, startSession, flags: { name } }) {
    const session = await startSession();
    const graderId = await idOf(session, "grader", args.grader, { archived: true });
    return (await session.client.graders.restore({ graderId, name, projectId: session.projectId })).grader;
  },
  show: ({ id, name }) => `Restored "${name}" (${id}).`,
});

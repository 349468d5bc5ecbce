import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { graderIdOf } from "../../names.ts";

export default command({
  examples: [
    '<%= config.bin %> graders restore "No promises"',
    '<%= config.bin %> graders restore "No promises" --name "No promises, strict"',
  ],
  args: { grader: argument("Id or exact name.") },
  flags: { name: Flags.string({ description: "Another name, when its own is taken." }) },
  async run({ args, connect, flags: { name } }) {
    const connection = await connect();
    const graderId = await graderIdOf(connection, args.grader, { archived: true });
    return (await connection.client.graders.restore({ graderId, name, projectId: connection.project })).grader;
  },
  show: ({ id, name }) => `Restored "${name}" (${id}).`,
});

import { argument, command } from "../../command.ts";
import { graderIdOf } from "../../names.ts";

export default command({
  description: "It grades nothing from now on; its grades stay.",
  examples: ['<%= config.bin %> graders archive "No promises"'],
  args: { grader: argument("Id or exact name.") },
  async run({ args, connect }) {
    const connection = await connect();
    const graderId = await graderIdOf(connection, args.grader);
    return (await connection.client.graders.archive({ graderId, projectId: connection.project })).grader;
  },
  show: ({ id, name }) => `Archived "${name}". Bring it back: svc graders restore ${id}`,
});

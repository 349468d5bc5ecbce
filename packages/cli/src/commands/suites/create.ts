import { Flags } from "@oclif/core";
import { command } from "../../command.ts";

export default command({
  examples: ["<%= config.bin %> suites create --name Booking"],
  flags: { name: Flags.string({ description: "Unique in the project.", required: true }) },
  async run({ connect, flags: { name } }) {
    const { client, project: projectId } = await connect();
    return (await client.suites.create({ name, projectId })).testSuite;
  },
  show: ({ id, name }) => `Created the suite "${name}" (${id}).`,
});

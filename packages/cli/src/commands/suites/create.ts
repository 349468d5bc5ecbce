import { Flags } from "@oclif/core";
import { command } from "../../command.ts";

export default command({
  summary: "Create a test suite",
  examples: ["<%= config.bin %> suites create --name Booking"],
  flags: { name: Flags.string({ description: "Name of the suite, unique in the project.", required: true }) },
  async run({ startSession, flags: { name } }) {
    const { client, projectId } = await startSession();
    return (await client.suites.create({ name, projectId })).testSuite;
  },
  show: ({ id, name }) => `Created the suite "${name}" (${id}).`,
});

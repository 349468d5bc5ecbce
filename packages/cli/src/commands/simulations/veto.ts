import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Fail a simulation because the state after it is wrong",
  description:
    "For a check that only you can make, for example whether the calendar contains the booking. The verdict becomes failed, and stays failed when the simulation is graded again. A veto cannot be withdrawn.",
  examples: [
    '<%= config.bin %> simulations veto sim_06ft2v8xk3n9q4w7r1y5z0abcd --reason "The calendar does not hold the booking."',
  ],
  args: { id: argument("Id of the simulation, from `svc runs show`.") },
  flags: {
    reason: Flags.string({ description: "The reason, for the people who read the verdict.", required: true }),
  },
  async run({ args, flags, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.simulations.veto({ simulationId: args.id, reason: flags.reason, projectId })).simulation;
  },
  show: ({ id }) => `${id} is failed by veto. See it: svc simulations show ${id}`,
});

import { command } from "../../command.ts";
import { Flags } from "@oclif/core";
import { argument } from "../../flags.ts";
import { verdictWords } from "../../runs/verdicts.ts";
import { waitForVerdict } from "../../runs/wait-for-verdict.ts";

export default command({
  summary: "Grade a simulation again with the current graders",
  description:
    "The conversation is not played again. The service keeps the earlier grades, and a veto stays in force. Waits for the new verdict.",
  examples: ["<%= config.bin %> simulations regrade sim_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the simulation, from `svc runs show`.") },
  flags: { wait: Flags.boolean({ description: "Wait for the verdict.", allowNo: true, default: true }) },
  async run({ args, flags, startSession }) {
    const session = await startSession();
    const { client, projectId } = session;
    const before = await client.simulations.get({ simulationId: args.id, projectId });
    const { simulation } = await client.simulations.regrade({ simulationId: args.id, projectId });
    const graded = flags.wait ? await waitForVerdict(session, args.id) : simulation;
    return { simulation: graded, verdictBefore: before.simulation.verdict };
  },
  show: ({ simulation: { id, grading, verdict }, verdictBefore }) =>
    grading !== "settled"
      ? `The service grades ${id} again. See the verdict: svc simulations show ${id}`
      : `${id}: ${verdictWords(verdict)} (before: ${verdictWords(verdictBefore)}). See the grades: svc simulations show ${id}`,
});

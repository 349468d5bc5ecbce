import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { counted } from "../../terminal/output.ts";
import { Refusal } from "../../refusal.ts";
import { reportFlags, reportText, writeReports } from "../../runs/reports.ts";
import { readResult } from "../../runs/result.ts";
import { waitForVerdict } from "../../runs/wait-for-verdict.ts";

export default command({
  summary: "Grade the simulations of a run again with the current graders",
  description:
    "The conversations are not played again, and vetoes stay in force. The service keeps the earlier grades, and the verdicts of the run change. With a language model, this costs as much as the first grading. Asks for confirmation.",
  examples: [
    "<%= config.bin %> runs regrade run_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> runs regrade run_06ft2v8xk3n9q4w7r1y5z0abcd --failed-only --yes",
  ],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  flags: {
    "failed-only": Flags.boolean({ description: "Grade only the simulations that did not pass." }),
    yes: yesFlag(),
    ...reportFlags(),
  },
  async run(invocation) {
    const { args, flags, progress } = invocation;
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const { simulations } = await readResult(session, args.id);
    const chosen = simulations.filter(
      ({ status, verdict }) =>
        (status === "completed" || status === "failed") && !(flags["failed-only"] && verdict === "passed"),
    );
    if (chosen.length === 0)
      throw new Refusal(
        "unprocessable",
        `The run ${args.id} has no such simulation that ended. See \`svc runs show ${args.id}\`.`,
      );
    await invocation.confirm(`Grade ${counted(chosen.length, "simulation")} again?`);
    for (const [index, { id }] of chosen.entries()) {
      progress.now(`Grading ${index + 1} of ${chosen.length}…`);
      await client.simulations.regrade({ simulationId: id, projectId });
    }
    for (const { id } of chosen) await waitForVerdict(session, id);
    return writeReports(await readResult(session, args.id), flags);
  },
  show: (report, { flags }) => reportText(report, flags),
});

import { Flags } from "@oclif/core";
import type { Run } from "@svc/contract";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { usage } from "../../refusal.ts";
import { EXIT_TEXT, reportFlags, reportText, writeReports } from "../../runs/reports.ts";
import { startedText } from "../../runs/page.ts";
import { watchStarted } from "../../runs/start-run.ts";
import { interruptible } from "../../runs/watch.ts";
import { exitCodeOf, requirementOf } from "../../runs/requirement.ts";
import type { RunReport } from "../../runs/report.ts";
import { keyOfAgents } from "../../runs/key-of-agents.ts";

export default command({
  summary: "Play a run again, or only the parts that did not pass",
  description: `Plays the same test versions and personas against the same agent and connection with the same options, but with the current graders and mock tools. To play edited tests in their current version, use \`svc runs start --failed-only\`. Waits for the verdicts. ${EXIT_TEXT}`,
  examples: [
    "<%= config.bin %> runs rerun run_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> runs rerun run_06ft2v8xk3n9q4w7r1y5z0abcd --failed-only",
  ],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  flags: {
    "failed-only": Flags.boolean({
      description: "Play only the pairs of test and persona that failed, were undecided, or ended with an error.",
    }),
    "agent-command": Flags.string({
      description: "Start this agent on this machine for each simulation, as in `svc runs start`.",
      helpValue: "<command>",
    }),
    name: Flags.string({ description: "Name of the new run. Default: the name of the earlier run." }),
    wait: Flags.boolean({ description: "Wait for the verdicts.", allowNo: true, default: true }),
    ...reportFlags(),
  },
  async run(invocation): Promise<RunReport | { run: Run; page: string | null }> {
    const { flags, args } = invocation;
    const agentCommand = flags["agent-command"];
    if (agentCommand !== undefined && !flags.wait)
      throw usage("--agent-command runs the agent inside this command, which therefore has to wait. Remove --no-wait.");
    requirementOf(flags.require); // Throws for a wrong share before the run starts.
    const session = await invocation.startSession();
    const agents =
      agentCommand === undefined ? undefined : { command: agentCommand, apiKey: await keyOfAgents(session, flags) };
    const { client, projectId } = session;
    const notPassed = flags["failed-only"] === true ? true : undefined;
    const started = await interruptible(async (interrupted) => {
      const { run } = await client.runs.rerun({ runId: args.id, projectId, notPassed, name: flags.name });
      return watchStarted(invocation, session, run, { agents, waits: flags.wait === true, interrupted });
    });
    return "result" in started ? writeReports(started.result, flags) : started;
  },
  show(answer, { flags }) {
    if ("simulations" in answer) return reportText(answer, flags);
    return startedText(answer);
  },
  exitCode: (answer) => ("simulations" in answer ? exitCodeOf(answer.outcome) : 0),
  exitCodeIsVerdict: true,
});

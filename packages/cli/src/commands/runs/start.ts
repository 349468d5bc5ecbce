import { Flags } from "@oclif/core";
import type { Run, RunPlan } from "@svc/contract";
import { command } from "../../command.ts";
import { decimalFlag, repeatedFlag } from "../../flags.ts";
import { usage } from "../../refusal.ts";
import type { JudgedResult } from "../../runs/junit.ts";
import { startedText } from "../../runs/page.ts";
import { planText } from "../../runs/plan-text.ts";
import {
  EXIT_TEXT,
  refuseLostReports,
  reportFlags,
  reportText,
  writeAllReports,
  writeReports,
} from "../../runs/reports.ts";
import type { Outcome } from "@svc/contract/constants";
import { exitCodeOf, requirementOf } from "../../runs/requirement.ts";
import type { RunReport } from "../../runs/report.ts";
import { selectEarlierRun, selectTests } from "../../runs/select.ts";
import { startRun } from "../../runs/start-run.ts";

/** A result; with `--no-wait`, only the run; with `--dry-run`, the plan. */
type OneAnswer = RunReport | { run: Run; page: string | null } | { plan: RunPlan };

/** `outcome` is the worst outcome of the runs of files; null without results. */
type StartAnswer = OneAnswer | { runs: OneAnswer[]; outcome: Outcome | null };

export default command({
  summary: "Run tests against an agent and report the verdict",
  description: `Waits for the verdicts. With --no-wait, the command returns when the run is created, with exit code 0. ${EXIT_TEXT}`,
  examples: [
    '<%= config.bin %> runs start --suite Booking --agent "Front desk"',
    '<%= config.bin %> runs start --test "Books a room" --iterations 5 --require 4/5 --junit result.xml',
    '<%= config.bin %> runs start --suite Booking --agent-command "node agent.js"',
    '<%= config.bin %> runs start --suite Booking --agent-command "python -m livekit.agents console agent.py --connect-addr {address}"',
    "<%= config.bin %> runs start --tag smoke --persona angry --persona hurried",
    '<%= config.bin %> runs start --suite Booking --agent "Front desk" --failed-only',
    "<%= config.bin %> runs start --files tests/ --tag smoke",
    "<%= config.bin %> runs start --suite Booking --dry-run",
  ],
  flags: {
    suite: Flags.string({ description: "Run the tests of this suite, by its id or exact name." }),
    files: Flags.string({
      description:
        "Run the tests of Markdown files that were pushed: a folder or one file. `agent`, `iterations` and `require` in a file take precedence over the flags. Files that differ in these values make several runs, one after the other. --tag and --suite choose among the files.",
      helpValue: "<path>",
      exclusive: ["test", "test-version", "failed-only", "idempotency-key"],
    }),
    test: repeatedFlag("Run the current version of this test, by its id or exact name."),
    "test-version": repeatedFlag("Run this test version, by its id.", "<tstv_…>"),
    tag: repeatedFlag(
      "Run the tests of the suite that have this tag; without --suite, those of the whole project. With several tags, a test needs one of the tags.",
      "<tag>",
    ),
    persona: repeatedFlag("Let this persona call in place of the personas of each test; its id or exact name."),
    "failed-only": Flags.boolean({
      description:
        "Run only the tests that did not pass in the agent's last run with verdicts; with --suite, in the agent's last run of that suite. Edited tests are run in their current version.",
    }),
    agent: Flags.string({ description: "Id or exact name of the agent. Default: the only agent." }),
    connection: Flags.string({
      description: "Id or exact name of the agent's connection. Default: the agent's only connection.",
    }),
    "agent-command": Flags.string({
      description:
        "Start this agent on LiveKit Agents on this machine, one process for each simulation, and speak to it by text. The command receives the arguments `console --connect-addr ADDRESS`, unless it contains {address} where the address belongs. Its spans are sent with the ingest key of the profile, or with SVC_API_KEY, which then needs the permissions test and ingest in one project.",
      helpValue: "<command>",
    }),
    iterations: Flags.integer({ description: "Times to run each test with each persona. Default: 1.", min: 1 }),
    concurrency: Flags.integer({
      description: "Simulations at the same time. Default: 10, or 4 with --agent-command.",
      min: 1,
    }),
    caller: Flags.option({
      options: ["scripted", "model"] as const,
      description: "Caller of the simulations. Default: model when the service has a language model, else scripted.",
    })(),
    "turn-limit": Flags.integer({ description: "Turns after which a simulation ends. Default: 60.", min: 2 }),
    "time-limit": Flags.integer({ description: "Seconds after which a simulation ends. Default: 600.", min: 1 }),
    "max-cost": decimalFlag({
      description:
        "Cost at which the judge of the run stops, in the currency of the service's prices. The remaining behaviors are then not graded.",
      helpValue: "<amount>",
    }),
    "allow-ungraded": Flags.boolean({
      description:
        "Let a simulation pass when at least one expected behavior passed and none failed, although others are undecided.",
    }),
    name: Flags.string({ description: "Name of the run." }),
    "idempotency-key": Flags.string({
      description: "Text that identifies this request. Repeating the request with this text returns the existing run.",
    }),
    "dry-run": Flags.boolean({ description: "Show what the run would do, and start nothing." }),
    wait: Flags.boolean({ description: "Wait for the verdicts.", allowNo: true, default: true }),
    ...reportFlags(),
  },
  async run(invocation): Promise<StartAnswer> {
    const { flags, note } = invocation;
    const agentCommand = flags["agent-command"];
    if (agentCommand !== undefined && !flags.wait)
      throw usage("--agent-command runs the agent inside this command, which therefore has to wait. Remove --no-wait.");
    requirementOf(flags.require); // Throws for a wrong share before the run starts.
    await refuseLostReports(flags);
    const session = await invocation.startSession();
    const options = {
      personas: flags.persona,
      name: flags.name,
      caller: flags.caller,
      turnLimit: flags["turn-limit"],
      timeLimitSeconds: flags["time-limit"],
      maxCost: flags["max-cost"],
      allowUngraded: flags["allow-ungraded"] === true ? true : undefined,
      idempotencyKey: flags["idempotency-key"],
      connection: flags.connection,
      agentCommand,
      concurrency: flags.concurrency,
      isDryRun: flags["dry-run"] === true,
      waits: flags.wait === true,
      ...(flags["failed-only"] === true && {
        notPassedIn: (agentId: string, suiteId: string | undefined) => selectEarlierRun(session, agentId, suiteId),
      }),
    };
    if (flags.files === undefined) {
      const { agent, iterations } = flags;
      const tests = await selectTests(session, flags);
      const started = await startRun(invocation, session, { tests, agent, iterations }, options);
      return "result" in started ? writeReports(started.result, flags) : started;
    }
    const { selectFileRuns } = await import("../../runs/file-runs.ts");
    const judged: JudgedResult[] = [];
    const answers: OneAnswer[] = [];
    for (const { testVersions, require, ...own } of await selectFileRuns(session, flags.files, flags, note)) {
      const started = await startRun(invocation, session, { tests: { testVersions }, ...own }, options);
      if ("result" in started) judged.push({ result: started.result, requirement: requirementOf(require) });
      else answers.push(started);
    }
    const reports = judged.length === 0 ? [] : await writeAllReports(judged, flags);
    return { runs: [...answers, ...reports], outcome: worstOf(reports.map(({ outcome }) => outcome)) };
  },
  show: (answer, { flags }) =>
    "runs" in answer ? answer.runs.map((one) => oneText(one, flags)).join("\n\n") : oneText(answer, flags),
  exitCode: (answer) => ("outcome" in answer && answer.outcome !== null ? exitCodeOf(answer.outcome) : 0),
  exitCodeIsVerdict: true,
});

function oneText(answer: OneAnswer, flags: { each?: boolean | undefined }): string {
  if ("plan" in answer) return planText(answer.plan);
  if ("simulations" in answer) return reportText(answer, flags);
  return startedText(answer);
}

function worstOf(outcomes: readonly Outcome[]): Outcome | null {
  const worstFirst: Outcome[] = ["failed", "undecided", "passed"];
  return worstFirst.find((outcome) => outcomes.includes(outcome)) ?? null;
}

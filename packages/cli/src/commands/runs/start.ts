import { Flags } from "@oclif/core";
import type { Input, Operations, Run, RunPlan } from "@svc/contract";
import { command } from "../../command.ts";
import { decimalFlag, repeatedFlag } from "../../flags.ts";
import { counted } from "../../terminal/output.ts";
import { usage } from "../../refusal.ts";
import { planText } from "../../runs/plan-text.ts";
import { EXIT_TEXT, reportFlags, reportText, writeReports } from "../../runs/reports.ts";
import { exitCodeOf, requirementOf } from "../../runs/requirement.ts";
import type { RunReport } from "../../runs/report.ts";
import {
  selectAgent,
  selectConnection,
  selectConsoleConnection,
  selectEarlierRun,
  selectTests,
} from "../../runs/select.ts";
import { keyOfAgents } from "../../runs/key-of-agents.ts";
import { watchRun, watchWithLocalAgents } from "../../runs/watch.ts";

/** Limits the load on this machine: each simulation starts a process of the agent. */
const PROCESSES_AT_ONCE = 4;

type StartAnswer = RunReport | { run: Run } | { plan: RunPlan };

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
    "<%= config.bin %> runs start --suite Booking --dry-run",
  ],
  flags: {
    suite: Flags.string({ description: "Run the tests of this suite, by its id or exact name." }),
    test: repeatedFlag("Run the current version of this test, by its id or exact name."),
    "test-version": repeatedFlag("Run this test version, by its id.", "<tstv_…>"),
    tag: repeatedFlag(
      "Run the tests with this tag: of the suite, or without --suite of the whole project. With several tags, a test needs one of them.",
      "<tag>",
    ),
    persona: repeatedFlag("Let this persona call, by its id or exact name, in place of the personas of each test."),
    "failed-only": Flags.boolean({
      description:
        "Run only what did not pass in the agent's last run with verdicts: of the same suite with --suite. Edited tests are run in their current version.",
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
        "Cost at which the judge of the run stops, in the currency of the service's prices. The behaviors that are left are not graded.",
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
    const { flags } = invocation;
    const agentCommand = flags["agent-command"];
    if (agentCommand !== undefined && !flags.wait)
      throw usage("--agent-command runs the agent inside this command, which therefore has to wait. Remove --no-wait.");
    requirementOf(flags.require); // Refuses a wrong share before the run starts.
    const session = await invocation.startSession();
    const agent =
      agentCommand === undefined ? undefined : { command: agentCommand, apiKey: await keyOfAgents(session, flags) };
    const { client, projectId } = session;
    const tests = await selectTests(session, flags);
    const agentId = await selectAgent(session, flags.agent);
    const connectionId =
      agentCommand === undefined
        ? await selectConnection(session, agentId, flags.connection)
        : await selectConsoleConnection(session, agentId, {
            idOrName: flags.connection,
            command: agentCommand,
            mayCreate: !flags["dry-run"],
          });
    const suiteId = "suiteId" in tests ? tests.suiteId : undefined;
    const input: Input<Operations["runs"]["create"]> = {
      ...tests,
      personas: flags.persona,
      notPassedIn: flags["failed-only"] ? await selectEarlierRun(session, agentId, suiteId) : undefined,
      agentId,
      connectionId,
      projectId,
      name: flags.name,
      iterations: flags.iterations,
      concurrency: flags.concurrency ?? (agentCommand === undefined ? undefined : PROCESSES_AT_ONCE),
      caller: flags.caller,
      turnLimit: flags["turn-limit"],
      timeLimitSeconds: flags["time-limit"],
      maxCost: flags["max-cost"],
      allowUngraded: flags["allow-ungraded"] === true ? true : undefined,
      idempotencyKey: flags["idempotency-key"],
    };
    if (flags["dry-run"]) return client.runs.create({ ...input, dryRun: true });
    const answer = await client.runs.create(input);
    if ("plan" in answer || !flags.wait) return answer;
    const { run } = answer;
    const result =
      agent === undefined
        ? await watchRun(invocation, session, run)
        : await watchWithLocalAgents(invocation, session, { run, ...agent });
    return writeReports(result, flags);
  },
  show(answer, { flags }) {
    if ("plan" in answer) return planText(answer.plan);
    if ("simulations" in answer) return reportText(answer, flags);
    const { id, simulationCount } = answer.run;
    return `Started ${id} with ${counted(simulationCount, "simulation")}. To wait for the verdict: svc runs watch ${id}`;
  },
  exitCode: (answer) => ("simulations" in answer ? exitCodeOf(answer.outcome) : 0),
  exitCodeIsVerdict: true,
});

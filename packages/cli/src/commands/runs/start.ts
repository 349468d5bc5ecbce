import { Flags } from "@oclif/core";
import type { Input, Operations, Run, RunPlan } from "@svc/contract";
import { type AnyCall, command } from "../../command.ts";
import type { Connection } from "../../connection.ts";
import { counted } from "../../output.ts";
import { usage } from "../../refusal.ts";
import { chosenAgent, chosenConnection, chosenTests, consoleConnection } from "../../runs/choose.ts";
import { planText } from "../../runs/plan-text.ts";
import { EXIT_TEXT, reportFlags, writeReports } from "../../runs/reports.ts";
import type { RunResult } from "../../runs/result.ts";
import { resultText } from "../../runs/result-text.ts";
import { exitCodeOf } from "../../runs/verdicts.ts";
import { watchRun } from "../../runs/watch.ts";

/** Each is a whole process of an agent. */
const PROCESSES_AT_ONCE = 4;

type Started = RunResult | { run: Run } | { plan: RunPlan };

const repeated = (description: string) => Flags.string({ description, multiple: true, multipleNonGreedy: true });

export default command({
  description: `Waits for the verdicts unless --no-wait is given; then it ends with 0 once the run is made. ${EXIT_TEXT}`,
  examples: [
    '<%= config.bin %> runs start --suite Booking --agent "Front desk"',
    '<%= config.bin %> runs start --test "Books a room" --iterations 5 --junit result.xml',
    '<%= config.bin %> runs start --suite Booking --agent-command "node agent.js"',
    '<%= config.bin %> runs start --suite Booking --agent-command "python -m livekit.agents console agent.py --connect-addr {address}"',
    "<%= config.bin %> runs start --suite Booking --dry-run",
  ],
  flags: {
    suite: Flags.string({ description: "Play this suite's tests; its id or exact name." }),
    test: repeated("Play this test's current version; its id or exact name; give it once for each."),
    "test-version": repeated("Play this version (tstv_…); give it once for each."),
    agent: Flags.string({ description: "Id or exact name; default: the only one." }),
    connection: Flags.string({ description: "Id or exact name; default: the agent's only one." }),
    "agent-command": Flags.string({
      description:
        "Start this agent on LiveKit Agents here, a process for each simulation, and speak to it by text; `console --connect-addr …` is appended, unless the command says with {address} where the address belongs. Needs a key of one project.",
      helpValue: "<command>",
    }),
    iterations: Flags.integer({ description: "Play each test and persona so often; default 1.", min: 1 }),
    concurrency: Flags.integer({ description: "Simulations at once; default 10.", min: 1 }),
    caller: Flags.option({
      options: ["scripted", "model"] as const,
      description: "Default: model when the service has a language model.",
    })(),
    "turn-limit": Flags.integer({ description: "Turns after which a conversation ends; default 60.", min: 2 }),
    "time-limit": Flags.integer({ description: "Seconds after which a conversation ends; default 600.", min: 1 }),
    name: Flags.string({ description: "Name of the run." }),
    "idempotency-key": Flags.string({ description: "The same key and run again answer the run that there is." }),
    "dry-run": Flags.boolean({ description: "Show what would be played, and start nothing." }),
    wait: Flags.boolean({ description: "Wait for the verdicts.", allowNo: true, default: true }),
    ...reportFlags(),
  },
  async run(call): Promise<Started> {
    const { flags } = call;
    const agentCommand = flags["agent-command"];
    if (agentCommand !== undefined && !flags.wait)
      throw usage("The agent runs in processes of this command, so that it has to wait: leave out --no-wait.");
    const connection = await call.connect({ key: agentCommand === undefined ? "any" : "project" });
    const { client, project: projectId } = connection;
    const tests = await chosenTests(connection, flags);
    const agentId = await chosenAgent(connection, flags.agent);
    const wanted: Input<Operations["runs"]["create"]> = {
      ...tests,
      agentId,
      connectionId:
        agentCommand === undefined
          ? await chosenConnection(connection, agentId, flags.connection)
          : await consoleConnection(connection, agentId, {
              named: flags.connection,
              command: agentCommand,
              make: !flags["dry-run"],
            }),
      projectId,
      name: flags.name,
      iterations: flags.iterations,
      concurrency: flags.concurrency ?? (agentCommand === undefined ? undefined : PROCESSES_AT_ONCE),
      caller: flags.caller,
      turnLimit: flags["turn-limit"],
      timeLimitSeconds: flags["time-limit"],
      idempotencyKey: flags["idempotency-key"],
    };
    if (flags["dry-run"]) return client.runs.create({ ...wanted, dryRun: true });
    const started = await client.runs.create(wanted);
    if ("plan" in started || !flags.wait) return started;
    const { run } = started;
    const result =
      agentCommand === undefined
        ? await watchRun(call, connection, run)
        : await withLocalAgents(call, connection, { run, command: agentCommand });
    await writeReports(result, flags);
    return result;
  },
  show(answer) {
    if ("plan" in answer) return planText(answer.plan);
    if ("simulations" in answer) return resultText(answer);
    const { id, simulationCount } = answer.run;
    return `Started ${id} of ${counted(simulationCount, "simulation")}. Follow it: svc runs watch ${id}`;
  },
  exitCode: (answer) => ("simulations" in answer ? exitCodeOf(answer.run) : 0),
});

/** Nobody else can carry the conversations: an interrupt cancels the run. */
async function withLocalAgents(
  call: Pick<AnyCall, "progress" | "note" | "flags">,
  connection: Connection,
  { run, command }: { run: Run; command: string },
): Promise<RunResult> {
  const { openLocalAgents } = await import("../../console/local-agents.ts");
  const agents = openLocalAgents(connection, { command, note: call.note });
  try {
    return await watchRun(call, connection, run, {
      onEvent: agents.onEvent,
      async onInterrupt() {
        await connection.client.runs.cancel({ runId: run.id, projectId: connection.project });
        return `The run ${run.id} was canceled, because its agents ran here.`;
      },
    });
  } finally {
    await agents.close();
  }
}

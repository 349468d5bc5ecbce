import { Flags } from "@oclif/core";
import type { Input, Operations, Run, RunPlan } from "@svc/contract";
import { command } from "../../command.ts";
import { counted } from "../../output.ts";
import { chosenAgent, chosenConnection, chosenTests } from "../../runs/choose.ts";
import { planText } from "../../runs/plan-text.ts";
import { EXIT_TEXT, reportFlags, writeReports } from "../../runs/reports.ts";
import type { RunResult } from "../../runs/result.ts";
import { resultText } from "../../runs/result-text.ts";
import { exitCodeOf } from "../../runs/verdicts.ts";
import { watchRun } from "../../runs/watch.ts";

type Started = RunResult | { run: Run } | { plan: RunPlan };

const repeated = (description: string) => Flags.string({ description, multiple: true, multipleNonGreedy: true });

export default command({
  description: `Waits for the verdicts unless --no-wait is given; then it ends with 0 once the run is made. ${EXIT_TEXT}`,
  examples: [
    '<%= config.bin %> runs start --suite Booking --agent "Front desk"',
    '<%= config.bin %> runs start --test "Books a room" --iterations 5 --junit result.xml',
    "<%= config.bin %> runs start --suite Booking --dry-run",
  ],
  flags: {
    suite: Flags.string({ description: "Play this suite's tests; its id or exact name." }),
    test: repeated("Play this test's current version; its id or exact name; give it once for each."),
    "test-version": repeated("Play this version (tstv_…); give it once for each."),
    agent: Flags.string({ description: "Id or exact name; default: the only one." }),
    connection: Flags.string({ description: "Id or exact name; default: the agent's only one." }),
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
    const connection = await call.connect();
    const { client, project: projectId } = connection;
    const tests = await chosenTests(connection, flags);
    const agentId = await chosenAgent(connection, flags.agent);
    const wanted: Input<Operations["runs"]["create"]> = {
      ...tests,
      agentId,
      connectionId: await chosenConnection(connection, agentId, flags.connection),
      projectId,
      name: flags.name,
      iterations: flags.iterations,
      concurrency: flags.concurrency,
      caller: flags.caller,
      turnLimit: flags["turn-limit"],
      timeLimitSeconds: flags["time-limit"],
      idempotencyKey: flags["idempotency-key"],
    };
    if (flags["dry-run"]) return client.runs.create({ ...wanted, dryRun: "true" });
    const started = await client.runs.create(wanted);
    if ("plan" in started || !flags.wait) return started;
    const result = await watchRun(call, connection, started.run);
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

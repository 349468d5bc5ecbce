import { initializeLogger } from "@livekit/agents";
import { fileURLToPath } from "node:url";

// Starts one job in a separate process with the platform's worker code, and reports how the process ended.

type Executor = {
  start(): Promise<void>;
  initialize(options: { sessionEndTimeout: number }): Promise<void>;
  launchJob(job: object): Promise<void>;
  join(): Promise<void>;
  proc: { exitCode: number | null; signalCode: string | null };
};

export type JobReport = { exitCode: number | null; signal: string | null; endMs: number };

initializeLogger({ pretty: false, level: "fatal" });
const executors = new URL("./ipc/job_proc_executor.js", import.meta.resolve("@livekit/agents"));
const { JobProcExecutor } = (await import(executors.href)) as {
  JobProcExecutor: new (...options: unknown[]) => Executor;
};

const options = {
  agent: fileURLToPath(new URL("./worker-agent.ts", import.meta.url)),
  inferenceExecutor: undefined,
  initializeTimeout: 20_000,
  closeTimeout: 60_000,
  memoryWarnMB: 0,
  memoryLimitMB: 0,
  pingInterval: 5_000,
  pingTimeout: 60_000,
  highPingThreshold: 2_500,
};
// The oldest version takes the options as separate arguments in this order.
const executor = new JobProcExecutor(...(JobProcExecutor.length === 1 ? [options] : Object.values(options)));
await executor.start();
await executor.initialize({ sessionEndTimeout: 5_000 });
const start = Date.now();
await executor.launchJob({
  acceptArguments: { name: "", identity: "agent", metadata: "" },
  job: { id: "AJ_forked", type: 0, room: { sid: "RM_forked", name: "call-7" }, agentName: "clinic", metadata: "" },
  url: "ws://127.0.0.1:1",
  token: "t",
  workerId: "w",
  fakeJob: true,
});
await executor.join();
const { exitCode, signalCode } = executor.proc;
const report: JobReport = { exitCode, signal: signalCode, endMs: Date.now() - start };
process.send!({ report }, () => process.exit(0));

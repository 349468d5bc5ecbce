import type { AnyInvocation } from "../command.ts";
import { resultText } from "../runs/result-text.ts";
import { interruptible, watchRun } from "../runs/watch.ts";
import { commandLine } from "../version.ts";
import { type Demo, demoCommands, startDemoService } from "./start-demo.ts";

/** Starts the service with a sample agent on a temporary folder, and runs the sample tests once. */
export async function runDemo(invocation: AnyInvocation, port: string | undefined): Promise<Demo> {
  const service = await startDemoService(invocation, port);
  const { session, url, configDir, account } = service;
  const { sample } = await session.client.sample.start({});
  const { run } = await session.client.runs.get({ runId: sample.runId });
  const result = await interruptible((signal) => watchRun(invocation, session, run, { signal }));
  return { ...result, url, configDir, account, seconds: performance.now() / 1000 };
}

/** Returns the graded result, an explanation of it, and commands to try next. */
export function demoText(demo: Demo): string {
  const failed = demo.simulations.find(({ verdict }) => verdict === "failed");
  const { command: program } = commandLine();
  return `${resultText(demo)}

The sample agent has one deliberate defect: it does not check whether its booking system accepted the booking. The failed
test found the defect, and the quoted turns above are the evidence. The demo took ${demo.seconds.toFixed(1)} s, without an account or an API key.

${demoCommands(demo, [
  `${program} simulations show ${failed?.id ?? "SIMULATION"}`,
  `${program} runs start --suite "${demo.run.suiteName}" --iterations 5`,
  `${program} tests list`,
  `${program} traces list --source simulation`,
])}
To test your agent, see how the service can reach it: ${program} connections options`;
}

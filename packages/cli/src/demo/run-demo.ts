import type { Alert } from "@svc/contract";
import { alertLimitText } from "@svc/contract/constants";
import { alertValueText } from "../alerts/rule-text.ts";
import type { AnyInvocation } from "../command.ts";
import { resultText } from "../runs/result-text.ts";
import { interruptible, watchRun } from "../runs/watch.ts";
import { commandLine } from "../version.ts";
import { sendSampleCalls } from "./sample-calls.ts";
import { waitFor } from "./wait-for.ts";
import { type Demo, demoCommands, startDemoService } from "./start-demo.ts";

export async function runDemo(invocation: AnyInvocation, port: string | undefined): Promise<Demo> {
  const service = await startDemoService(invocation, port);
  const { session, url, configDir, account } = service;
  const { sample } = await session.client.sample.start({});
  const { run } = await session.client.runs.get({ runId: sample.runId });
  const result = await interruptible((signal) => watchRun(invocation, session, run, { signal }));
  invocation.progress.now("Sending production calls of a sample worker…");
  const alert = await sendSampleCalls(session.client);
  const groups = await waitFor(async () => {
    const found = (await session.client.groups.list({ source: "simulation" })).groups;
    return found.length > 0 && found;
  });
  return { ...result, alert, groups, url, configDir, account, seconds: performance.now() / 1000 };
}

export function demoText(demo: Demo): string {
  const failed = demo.simulations.find(({ verdict }) => verdict === "failed");
  const { command: program } = commandLine();
  return `${resultText(demo)}

The sample agent has one deliberate defect: it does not check whether its booking system accepted the booking. The failed
test found the defect, and the quoted turns above are the evidence.${groupsText(demo.groups)}
${demo.alert ? `\n${productionText(demo.alert)}\n` : ""}
The demo took ${demo.seconds.toFixed(1)} s, without an account or an API key.

${demoCommands(demo, [
  `${program} simulations show ${failed?.id ?? "SIMULATION"}`,
  `${program} runs start --suite "${demo.run.suiteName}" --iterations 5`,
  `${program} tests list`,
  `${program} traces list --source simulation`,
  `${program} alerts list`,
  `${program} groups list`,
])}
To test your agent, see how the service can reach it: ${program} connections options`;
}

const groupsText = (groups: Demo["groups"] = []): string =>
  groups.length === 0
    ? ""
    : `\nConversations that fail in the same way are a group: ${groups.map(({ whatText }) => whatText).join("; ")}.`;

const productionText = (alert: Alert): string =>
  `A sample worker also sent its production calls of the last two hours by OTLP. Its answers became slow, and the rule
"${alert.ruleName}" raised an alert: ${alert.what} was ${alertValueText(alert)}, ${alertLimitText(alert)}, in ${alert.samples} answers.`;

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyInvocation } from "../command.ts";
import type { Session } from "../session.ts";
import { saveProfile } from "../profile.ts";
import { resultText } from "../runs/result-text.ts";
import type { RunResult } from "../runs/result.ts";
import { watchRun } from "../runs/watch.ts";
import { startServer } from "../start-server.ts";
import { programName } from "../version.ts";

export type Demo = RunResult & { url: string; configDir: string; seconds: number };

const USUAL_PORT = 3100;

/** Starts the service with a sample agent on a temporary folder, and runs the sample tests once. */
export async function runDemo(invocation: AnyInvocation, port: string | undefined): Promise<Demo> {
  const { startSession, progress } = invocation;
  const folder = await mkdtemp(join(tmpdir(), "svc-demo-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const apiKey = `svc_sk_${randomBytes(32).toString("base64url")}`;
  progress.now("Starting the service…");
  const { url } = await startServer({
    PORT: port ?? process.env.PORT ?? String(await usualPortOrFree()),
    SVC_DATA_DIR: join(folder, "data"),
    SVC_INIT_ORGANIZATION: "Demo",
    SVC_INIT_PROJECT: "Demo",
    SVC_INIT_PROJECT_API_KEY: apiKey,
    LOG_LEVEL: "error",
  });
  const target = { url, urlFrom: "the demo", apiKey, keyFrom: "the demo" };
  const session = await startSession({ target });
  await saveProfile("default", { url, apiKey }, join(folder, "profiles.json"));
  const run = await startSample(session);
  const result = await watchRun(invocation, session, run);
  return { ...result, url, configDir: folder, seconds: performance.now() / 1000 };
}

/** Returns the usual port, or 0 for a free port when another service uses it. */
async function usualPortOrFree(): Promise<number> {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(USUAL_PORT, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return 0;
  await new Promise((resolve) => probe.close(resolve));
  return USUAL_PORT;
}

async function startSample({ client }: Session) {
  const { sample } = await client.sample.start({});
  return (await client.runs.get({ runId: sample.runId })).run;
}

/** Returns the graded result, an explanation of it, and commands to try next. */
export function demoText(demo: Demo): string {
  const failed = demo.simulations.find(({ verdict }) => verdict === "failed");
  const program = programName();
  const variables = ["SVC_URL", "SVC_API_KEY", "SVC_PROFILE", "SVC_PROJECT"].filter((name) => process.env[name]);
  return `${resultText(demo)}

The sample agent has one deliberate defect: it does not check whether its booking system accepted the booking. The failed
test found the defect, and the quoted turns above are the evidence. The demo took ${demo.seconds.toFixed(1)} s, without an account or an API key.

The service runs at ${demo.url} until Ctrl-C, and then removes its data. Try next, in another terminal:
  ${variables.length > 0 ? `unset ${variables.join(" ")}\n  ` : ""}export SVC_CONFIG_DIR=${demo.configDir}
  ${program} simulations show ${failed?.id ?? "SIMULATION"}
  ${program} runs start --suite "${demo.run.suiteName}" --iterations 5
  ${program} tests list
  ${program} traces list --source simulation
To test your agent, see how the service can reach it: ${program} connections options`;
}

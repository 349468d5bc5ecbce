import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyCall } from "../command.ts";
import type { Connection } from "../connection.ts";
import { saveProfile } from "../profile.ts";
import { resultText } from "../runs/result-text.ts";
import type { RunResult } from "../runs/result.ts";
import { watchRun } from "../runs/watch.ts";
import { startServer } from "../start-server.ts";
import { startBookingAgent } from "./booking-agent.ts";
import { SUITE_NAME, TESTS } from "./booking-suite.ts";

export type Demo = RunResult & { url: string; configDir: string; seconds: number };

const USUAL_PORT = 3100;

/** The service with a sample agent and its tests, on a folder that is removed at the end; plays the tests once. */
export async function runDemo(call: AnyCall, port: string | undefined): Promise<Demo> {
  const { connect, progress } = call;
  const folder = await mkdtemp(join(tmpdir(), "svc-demo-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const apiKey = `svc_sk_${randomBytes(32).toString("base64url")}`;
  const agent = await startBookingAgent();
  progress.now("Starting the service…");
  const { url } = await startServer({
    PORT: port ?? process.env.PORT ?? String(await usualPort()),
    SVC_DATA_DIR: join(folder, "data"),
    SVC_INIT_ORGANIZATION: "Demo",
    SVC_INIT_PROJECT: "Demo",
    SVC_INIT_PROJECT_API_KEY: apiKey,
    LOG_LEVEL: "error",
  });
  const target = { url, urlFrom: "the demo", apiKey, keyFrom: "the demo" };
  const connection = await connect({ target });
  await saveProfile("default", { url, apiKey }, join(folder, "profiles.json"));
  const run = await startRun(connection, agent.url);
  const result = await watchRun(call, connection, run);
  return { ...result, url, configDir: folder, seconds: performance.now() / 1000 };
}

/** The usual port, or any that is free: another service may well run beside the demo. */
async function usualPort(): Promise<number> {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(USUAL_PORT, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return 0;
  await new Promise((resolve) => probe.close(resolve));
  return USUAL_PORT;
}

async function startRun({ client }: Connection, agentUrl: string) {
  const { agent } = await client.agents.register({ name: "Sample booking agent" });
  const { connection } = await client.connections.create({
    agentId: agent.id,
    name: "Chat",
    connectionType: "http_chat",
    accessVariant: "http_chat.public",
    config: { url: agentUrl, format: "svc" },
  });
  const { testSuite } = await client.suites.create({ name: SUITE_NAME });
  for (const test of TESTS) await client.tests.create({ ...test, suite: testSuite.id });
  const started = await client.runs.create({
    suiteId: testSuite.id,
    agentId: agent.id,
    connectionId: connection.id,
    name: "Demo",
    caller: "scripted",
  });
  if ("plan" in started) throw new Error("A plan was answered instead of a run.");
  return started.run;
}

/** The graded result, what it shows, and what to try next. */
export function demoText(demo: Demo): string {
  const failed = demo.simulations.find(({ verdict }) => verdict === "failed");
  const overruled = ["SVC_URL", "SVC_API_KEY", "SVC_PROFILE", "SVC_PROJECT"].filter((name) => process.env[name]);
  return `${resultText(demo)}

The sample agent has one deliberate defect: it does not look whether its booking system took the booking. The failed
test found it; the words above are its evidence. All of it took ${demo.seconds.toFixed(1)} s, with no account and no key.

The service stays up at ${demo.url} until Ctrl-C, and then its data is gone. Try next, in another terminal:
  ${overruled.length > 0 ? `unset ${overruled.join(" ")}\n  ` : ""}export SVC_CONFIG_DIR=${demo.configDir}
  npx svc simulations show ${failed?.id ?? "SIMULATION"}
  npx svc runs start --suite "${SUITE_NAME}" --iterations 5
  npx svc tests list
  npx svc traces list --source simulation
Then test an agent of your own: npx svc connections options`;
}

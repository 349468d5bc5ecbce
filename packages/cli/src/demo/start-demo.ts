import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyInvocation } from "../command.ts";
import { saveProfile } from "../profile.ts";
import type { RunResult } from "../runs/result.ts";
import type { Session } from "../session.ts";
import { startServer } from "../start-server.ts";
import type { HeardCall } from "./heard-table.ts";

/** The result of a demo. The folder has a profile for commands in another terminal; `heard` is there for calls. */
export type Demo = RunResult & { url: string; configDir: string; seconds: number; heard?: HeardCall[] };

export type DemoService = { session: Session; url: string; configDir: string };

const USUAL_PORT = 3100;

/** Starts the service on a temporary folder, which is removed when this process ends. */
export async function startDemoService(invocation: AnyInvocation, port: string | undefined): Promise<DemoService> {
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
  return { session, url, configDir: folder };
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

/** Returns the commands to try in another terminal. */
export function demoCommands({ url, configDir }: Demo, commands: readonly string[]): string {
  const variables = ["SVC_URL", "SVC_API_KEY", "SVC_PROFILE", "SVC_PROJECT"].filter((name) => process.env[name]);
  const unset = variables.length > 0 ? [`unset ${variables.join(" ")}`] : [];
  const lines = [...unset, `export SVC_CONFIG_DIR=${configDir}`, ...commands];
  return `The service runs at ${url} until Ctrl-C, and then removes its data. Try next, in another terminal:
${lines.map((line) => `  ${line}`).join("\n")}`;
}

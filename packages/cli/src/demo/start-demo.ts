import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Alert, FailureGroup } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import { saveProfile } from "../session/profile.ts";
import type { RunResult } from "../runs/result.ts";
import type { Session } from "../session/session.ts";
import { startServer } from "../service/start-server.ts";
import { commandLine } from "../version.ts";
import type { HeardCall } from "./heard-table.ts";

type DemoAccount = { email: string; password: string };

/** `configDir` has a profile for commands in another terminal. Only the voice demo has `heard`. */
export type Demo = RunResult & {
  url: string;
  configDir: string;
  account: DemoAccount;
  seconds: number;
  heard?: HeardCall[];
  /** Only the demo without sound has an alert. */
  alert?: Alert | undefined;
  /** Only the demo without sound has groups. */
  groups?: FailureGroup[] | undefined;
};

type DemoService = { session: Session; url: string; configDir: string; account: DemoAccount };

const USUAL_PORT = 3100;
const USUAL_WEB_PORT = 3101;

/** Removes the folder when this process exits. */
export async function startDemoService(invocation: AnyInvocation, port: string | undefined): Promise<DemoService> {
  const { startSession, progress } = invocation;
  const folder = await mkdtemp(join(tmpdir(), "svc-demo-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const apiKey = `svc_sk_${randomBytes(32).toString("base64url")}`;
  const account = { email: "demo@example.com", password: randomBytes(9).toString("base64url") };
  progress.now("Starting the service…");
  const { url } = await startServer({
    PORT: port ?? process.env.PORT ?? String(await portOrFree(USUAL_PORT)),
    SVC_WEB_PORT: process.env.SVC_WEB_PORT ?? String(await portOrFree(USUAL_WEB_PORT)),
    SVC_DATA_DIR: join(folder, "data"),
    SVC_INIT_ADMIN: `${account.email}:${account.password}`,
    SVC_INIT_API_KEYS: `project:${apiKey}`,
    LOG_LEVEL: "error",
  });
  const target = { url, urlFrom: "the demo", apiKey, keyFrom: "the demo" };
  const session = await startSession({ target });
  await saveProfile("default", { url, apiKey }, join(folder, "profiles.json"));
  return { session, url, configDir: folder, account };
}

/** Returns 0 (any free port) when another program uses the port. */
async function portOrFree(port: number): Promise<number> {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return 0;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export function demoCommands({ url, configDir, page, account }: Demo, commands: readonly string[]): string {
  const variables = ["SVC_URL", "SVC_API_KEY", "SVC_PROFILE", "SVC_PROJECT"].filter((name) => process.env[name]);
  const unset = variables.length > 0 ? [`unset ${variables.join(" ")}`] : [];
  const { place } = commandLine();
  const inFolder = place === "in this folder" ? ` ${place}` : "";
  const lines = [...unset, `export SVC_CONFIG_DIR=${configDir}`, ...commands];
  return `See the result in a browser:
  ${page ?? url}
  Sign in as ${account.email} with the password ${account.password}

The service runs at ${url} until Ctrl-C, and then removes its data. Try next, in another terminal${inFolder}:
${lines.map((line) => `  ${line}`).join("\n")}`;
}

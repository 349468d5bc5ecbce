import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Client, createClient } from "@svc/sdk";
import "../support/child-processes.ts";
import type { OpenService, Serving } from "../support/service-child.ts";

/** A service in a process that can be killed. */
export type Spawned = { url: string; client: Client; process: ChildProcess; kill: () => Promise<void> };

/** Starts the service in another process. */
export async function spawnService(wanted: OpenService): Promise<Spawned> {
  const child = fork(join(import.meta.dirname, "../support/service-child.ts"), {
    execArgv: ["--conditions=svc-source"],
  });
  const ended = once(child, "exit");
  child.send(wanted);
  const serving = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
  if (serving === undefined) throw new Error("the service did not start");
  const [{ url, projectKey }] = serving as [Serving];
  return {
    url,
    client: createClient({ baseUrl: url, apiKey: projectKey, retries: 0 }),
    process: child,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

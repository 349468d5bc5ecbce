import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppOptions } from "@svc/server";
import { databaseOf } from "../support/engine.ts";
import { newSecret } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";

export type Processes = { services: TestServer[]; databaseUrl: string; stop: () => Promise<void> };

type Options = { settings?: Record<string, string> } & AppOptions;

/** Starts services at the same time on one empty database, as processes do; each has its own trace store. */
export async function openProcesses(count: number, { settings, ...options }: Options = {}): Promise<Processes> {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const databaseUrl = (await databaseOf(folder))!;
  const keys = { SVC_INIT_API_KEY: newSecret(), SVC_INIT_PROJECT_API_KEY: newSecret() };
  const services = await Promise.all(
    Array.from({ length: count }, () => startServer({ ...options, databaseUrl, settings: { ...keys, ...settings } })),
  );
  return {
    services,
    databaseUrl,
    async stop() {
      for (const service of services) await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

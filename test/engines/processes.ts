import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppOptions } from "@svc/server";
import { databasesOf } from "../support/engine.ts";
import { keySettings } from "../support/secret.ts";
import { startServer, type TestServer } from "../support/server.ts";

export type Processes = {
  services: TestServer[];
  /** The settings of the databases that the services share. */
  databases: Record<string, string>;
  /** The address of the PostgreSQL database. */
  databaseUrl: string;
  stop: () => Promise<void>;
};

type Options = { settings?: Record<string, string> } & AppOptions;

/** Starts several services at the same time on empty databases. */
export async function openProcesses(count: number, { settings, ...options }: Options = {}): Promise<Processes> {
  const folder = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const databases = await databasesOf(folder);
  const keys = keySettings();
  const services = await Promise.all(
    Array.from({ length: count }, () => startServer({ ...options, databases, settings: { ...keys, ...settings } })),
  );
  return {
    services,
    databases,
    databaseUrl: databases.SVC_DATABASE_URL!,
    async stop() {
      for (const service of services) await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

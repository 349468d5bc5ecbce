import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, listen, openApp, createLog, readConfig } from "@svc/server";
import { databasesOf } from "./engine.ts";
import { FAST_PASSWORDS } from "./fast-passwords.ts";
import { PROGRAM, startProgram } from "./program.ts";

/** Starts a service without accounts and API keys, as on a new machine. */
export async function openBareService(
  settings: Record<string, string> = {},
  log: Log = createLog("silent"),
  webFolder?: string,
) {
  const dataDir = settings.SVC_DATA_DIR ?? mkdtempSync(join(tmpdir(), "svc-spec-"));
  const environment = {
    PORT: "0",
    SVC_TRUST_PROXY: "true",
    SVC_DATA_DIR: dataDir,
    LOG_LEVEL: "silent",
    ...(await databasesOf(dataDir)),
    ...settings,
  };
  const remove = () => {
    if (settings.SVC_DATA_DIR === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  if (PROGRAM !== undefined) {
    const { url, stop } = await startProgram(PROGRAM, environment);
    return { url, dataDir, beginStop: () => undefined, stop: () => stop().then(remove) };
  }
  const config = readConfig(environment);
  const app = await openApp(config, log, {
    checkAnswers: true,
    passwordHash: FAST_PASSWORDS,
    ...(webFolder !== undefined && { webFolder }),
  });
  // With this limit, a stop that waits for idle connections takes longer than a spec may take, so the spec fails.
  const { url, stop } = await listen(app.handle, config.port, config.host, { drainMs: 600_000 });
  return {
    url,
    dataDir,
    beginStop: () => app.beginStop(),
    /** Stops the service; deletes the data folder unless the caller passed it. */
    async stop(): Promise<void> {
      app.beginStop();
      await stop();
      await app.close();
      remove();
    },
  };
}

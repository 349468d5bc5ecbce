import { mkdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type AppOptions, openApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { listen } from "./listen.ts";
import { createLog } from "./log.ts";

/** The address that the command line uses by default. */
const USUAL_ADDRESS = "http://127.0.0.1:3100";

/** Starts the service with the environment's settings, serves until SIGINT or SIGTERM, and returns its address. */
export async function main(
  environment: Record<string, string | undefined> = process.env,
  options: AppOptions = {},
): Promise<{ url: string }> {
  const config = readConfig(environment);
  const log = createLog(config.logLevel);
  // Files are private to this user, even in an existing, more open folder.
  process.umask(0o077);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const app = await openApp(config, log, options);
  const { url, stop } = await listen(app.handle, config.port, config.host);
  app.listeningAt(url);
  const address = config.baseUrl ?? url;
  log.info({ address, data_dir: config.dataDir }, "serving");
  announce(address, await app.isClaimed());

  let ending = false;
  const end = (signal: string) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, "stopping");
    app.beginStop();
    void stop()
      .then(app.close)
      .then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, "stopping failed");
          process.exit(1);
        },
      );
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return { url };
}

/** Prints for the person at the terminal, on standard error: standard output carries the log. */
function announce(address: string, claimed: boolean): void {
  const lines = [`svc serves at ${address}`, `  health   ${address}/health`, `  API      ${address}/openapi.json`];
  const claim = address === USUAL_ADDRESS ? "npx svc claim" : `npx svc claim --url ${address}`;
  if (!claimed) lines.push("", "This instance is not claimed yet. Claim it and get the first keys with:", `  ${claim}`);
  process.stderr.write(`${lines.join("\n")}\n`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type App, type AppOptions, openApp } from "./app.ts";
import { type Config, readConfig, unknownSettings } from "../base/config/config.ts";
import { type Listening, listen } from "./listen.ts";
import { createLog, type Log } from "../base/log/log.ts";
import type { OwnTraces } from "../operations/own-traces/open.ts";
import { readVersion } from "../assets.ts";
import { releaseMemorySoon } from "./release-memory.ts";
import { prepareDataFolder } from "../stores/folder/folder-access.ts";
import { relationalPaths } from "../stores/sqlite/store-damage.ts";

/** How people run the command line: the place where they run it, and the first words of a command. */
export type CommandLine = { place: string; command: string };

/** Default when the command line did not start this service. The command line can then be on another machine. */
const ELSEWHERE: CommandLine = { place: "in a terminal", command: "svc" };

/** Starts the service, which stops at SIGINT or SIGTERM. `commandLine` is used in the text that the start prints. */
export async function main(
  environment: Record<string, string | undefined> = process.env,
  {
    commandLine = ELSEWHERE,
    ...options
  }: Pick<AppOptions, "webFolder" | "answerMcp"> & { commandLine?: CommandLine } = {},
): Promise<{ url: string }> {
  const config = readConfig(environment);
  const log = createLog(config.logLevel, config.logFormat);
  // New files are readable only for this user, even in an existing folder with wider permissions.
  process.umask(0o077);
  for (const { name, meaning } of unknownSettings(environment)) log.warn({ setting: name }, meaning);
  if (config.databases === undefined) prepareDataFolder(config.dataDir);
  else warnOfDataFolder(config, log);
  const ownTraces = config.ownTraces && (await openOwnTraces(config.ownTraces, log));
  const app = await openApp(config, log, options);
  const hasPages = options.webFolder !== undefined;
  const { api, pages, metrics, stop } = await listenOnAll(app, config, hasPages).catch(async (error) => {
    await app.close();
    throw error;
  });
  app.listeningAt(api.url);
  const address = config.baseUrl ?? api.url;
  const pagesAddress = hasPages ? (config.baseUrl ?? pages.url) : undefined;
  log.info({ address, pages: pagesAddress, ...placesOf(config) }, "serving");
  if (metrics !== undefined) log.info({ address: `${metrics.url}/metrics` }, "serving metrics");
  announce(address, pagesAddress, commandLine, await app.isClaimed());
  releaseMemorySoon();

  let ending = false;
  const end = (signal: string) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, "stopping");
    app.beginStop();
    void stop()
      .then(app.close)
      .then(() => ownTraces?.close())
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
  return { url: api.url };
}

/** Loads the code of the export only when a setting enables the export. */
async function openOwnTraces(address: NonNullable<Config["ownTraces"]>, log: Log): Promise<OwnTraces> {
  const { openOwnTraces: open } = await import("../operations/own-traces/open.ts");
  return open({ ...address, version: readVersion() }, log);
}

/** Returns where the data is, for the log, without credentials. */
function placesOf({ databases, dataDir }: Config): Record<string, string> {
  if (databases === undefined) return { data_dir: dataDir };
  return { database: placeOf(databases.databaseUrl), clickhouse: placeOf(databases.clickHouseUrl) };
}

function placeOf(address: string): string {
  const { host, pathname } = new URL(address);
  return host + pathname;
}

function warnOfDataFolder({ dataDir }: Config, log: Log): void {
  if (existsSync(relationalPaths(dataDir).database))
    log.warn(
      { data_dir: dataDir },
      "the data folder holds data that this service does not show, because it uses databases; `svc migrate --to databases` moves the data there",
    );
}

/**
 * Both ports serve the API and the pages, so that the pages can call the API at their own origin. Metrics can have a
 * third port.
 */
async function listenOnAll(app: App, config: Config, hasPages: boolean) {
  const opened: Listening[] = [];
  const open = async (...[handle, port, host, options]: Parameters<typeof listen>): Promise<Listening> => {
    const listening = await listen(handle, port, host, options);
    opened.push(listening);
    return listening;
  };
  const stop = async () => void (await Promise.all(opened.map((one) => one.stop())));
  const hasOnePort = !hasPages || (config.webPort === config.port && config.port !== 0);
  try {
    const api = await open(app.handle, config.port, config.host);
    const pages = hasOnePort ? api : await open(app.handle, config.webPort, config.host, { setting: "SVC_WEB_PORT" });
    const metrics =
      app.handleMetrics && config.metricsPort !== undefined
        ? await open(app.handleMetrics, config.metricsPort, config.host, { setting: "SVC_METRICS_PORT" })
        : undefined;
    return { api, pages, metrics, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Prints the address of the service to standard error, because standard output is for the log. */
function announce(address: string, pages: string | undefined, { place, command }: CommandLine, claimed: boolean): void {
  const lines = [
    `svc serves at ${pages ?? address}`,
    `  health   ${address}/health`,
    `  API      ${address}/openapi.json`,
  ];
  if (!claimed) {
    lines.push("", "This instance is not claimed yet. Create the first account:");
    if (pages !== undefined) lines.push(`  ${"in a browser".padEnd(place.length)}    ${pages}/claim`);
    lines.push(`  ${place}    ${command} claim --url ${address}`);
  }
  process.stderr.write(`${lines.join("\n")}\n`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}

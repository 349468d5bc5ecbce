import { setTimeout as delay } from "node:timers/promises";
import { createConditions } from "../../base/conditions.ts";
import { readConfig } from "../../base/config/config.ts";
import { unavailable } from "../../base/errors.ts";
import { listProjects } from "../exports/store.ts";
import { createLog } from "../../base/log/log.ts";
import type { Db } from "../../stores/relational.ts";
import { openSharedTraces, openTraces, type Traces } from "../../traces/open.ts";
import { compareStores, type Comparison } from "./compare.ts";
import type { Progress } from "./refusal.ts";
import type { SourceCopy } from "./source-copy.ts";

const SILENT_SECONDS_MAX = 60;

export async function compareMove(
  source: SourceCopy,
  clickHouseUrl: string,
  db: Db,
  progress: Progress,
): Promise<Comparison> {
  const log = createLog("silent");
  const conditions = createConditions(log);
  const config = readConfig({ SVC_DATA_DIR: source.dataDir });
  const embedded = await openTraces(config, log, conditions);
  try {
    const ended = new AbortController();
    const shared = await openSharedTraces(config, log, conditions, { url: clickHouseUrl, db });
    try {
      progress("Reading the conversations of the folder");
      for (const { number } of await listProjects(db)) await embedded.reader.remap(number, false);
      await embedded.intake.drain();
      progress("Reading the conversations of the databases");
      await Promise.race([shared.intake.drain(), silenceOf(shared, ended.signal)]);
      const { engine } = source.relational.embedded;
      const sides = { folder: embedded.reader, databases: shared.reader };
      return await compareStores({ engine, db, ...sides, made: "databases" }, progress);
    } finally {
      ended.abort();
      await shared.close();
    }
  } finally {
    await embedded.close();
  }
}

/**
 * Rejects when ClickHouse has not answered for `SILENT_SECONDS_MAX` seconds, because reads would wait forever. Resolves when `signal`
 * aborts.
 */
async function silenceOf({ reachable }: Pick<Traces, "reachable">, signal: AbortSignal): Promise<void> {
  for (let silentSeconds = 0; silentSeconds < SILENT_SECONDS_MAX;) {
    await delay(1_000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    silentSeconds = reachable() ? 0 : silentSeconds + 1;
  }
  throw unavailable("ClickHouse does not answer.", SILENT_SECONDS_MAX);
}

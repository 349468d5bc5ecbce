import { existsSync } from "node:fs";
import { join } from "node:path";

/** The version of the npm package with ClickHouse's engine, which only `npm run engine:clickhouse` installs. */
export const ENGINE_VERSION = "3.4.0";
export const ENGINE_FOLDER = join(import.meta.dirname, "../../.engines", `clickhouse-${ENGINE_VERSION}`);

/** A ClickHouse for the specs: the address of a running server, the folder of the engine's package, or what is missing. */
type ClickHouseForSpecs = { url: string } | { engine: string } | { missing: string };

export function findClickHouse(): ClickHouseForSpecs {
  const url = process.env.SVC_TEST_CLICKHOUSE_URL;
  if (url !== undefined && url !== "") return { url };
  const engine = enginePackage();
  if (engine !== undefined) return { engine };
  return {
    missing: "`npm run engine:clickhouse` has not installed the engine, and SVC_TEST_CLICKHOUSE_URL names no server",
  };
}

/** Returns the folder of the engine's package; undefined if the package is not installed. */
export function enginePackage(): string | undefined {
  const folder = join(ENGINE_FOLDER, "node_modules/chdb");
  return existsSync(join(folder, "package.json")) ? folder : undefined;
}

import { join } from "node:path";

/** Returns the path of the trace store's database. This file does not load the engine, which only the store's thread needs. */
export const databaseFile = (dataDir: string) => join(dataDir, "analytics.duckdb");

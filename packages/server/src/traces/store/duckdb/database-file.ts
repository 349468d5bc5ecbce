import { join } from "node:path";

/** This function has its own module, so that its callers do not load DuckDB. */
export const databaseFile = (dataDir: string) => join(dataDir, "samples.duckdb");

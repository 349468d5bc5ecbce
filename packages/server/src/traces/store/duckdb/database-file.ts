import { join } from "node:path";

/** Returns the path of the database of samples. This file does not load the engine, which only the store's thread needs. */
export const databaseFile = (dataDir: string) => join(dataDir, "samples.duckdb");

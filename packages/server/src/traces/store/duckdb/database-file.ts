import { join } from "node:path";

/** Returns the path of the database of samples. In its own file, so that only the store's thread loads DuckDB. */
export const databaseFile = (dataDir: string) => join(dataDir, "samples.duckdb");

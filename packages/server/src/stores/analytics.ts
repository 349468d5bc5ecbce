import { join } from "node:path";
import { type DuckDBAppender, type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";

export type Connection = DuckDBConnection;
export type Appender = DuckDBAppender;

export type AnalyticsFile = {
  /** One statement at a time runs on a connection, so that a commit does not hold the reads. */
  write: DuckDBConnection;
  read: DuckDBConnection;
  close: () => void;
};

/** A commit of at least this many rows is written once, straight into the file and past DuckDB's own log. */
export const ROW_GROUP_ROWS = 20_480;

/** Opens `<dataDir>/analytics.duckdb`. Only one thread of one process may hold it: take `lockDataDir` first. */
export async function openAnalyticsFile(dataDir: string, memoryLimitMb: number): Promise<AnalyticsFile> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${memoryLimitMb}MB`,
    temp_directory: join(dataDir, "analytics.spill"),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const write = await instance.connect();
  const file = join(dataDir, "analytics.duckdb").replaceAll("'", "''");
  await write.run(`ATTACH '${file}' AS analytics (STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`);
  // Rows that are only in DuckDB's log are held in memory besides, several times as large.
  await write.run("SET wal_autocheckpoint = '8MB'");
  await write.run("SET lock_configuration = true");
  await write.run("USE analytics");
  const read = await instance.connect();
  await read.run("USE analytics");
  const close = () => {
    read.closeSync();
    write.closeSync();
    instance.closeSync();
  };
  return { write, read, close };
}

/** The rows of a query as objects: INTEGER is a number, BIGINT and wider are bigints. */
export async function rowsOf<Row>(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, values.length > 0 ? values : undefined);
  return reader.getRowObjects() as Row[];
}

/** Breaks the connection's work off after `timeoutMs`; it then throws an error that `isInterrupted` knows. */
export async function withDeadline<T>(
  connection: DuckDBConnection,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => connection.interrupt(), timeoutMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

export const isInterrupted = (error: unknown) => error instanceof Error && error.message.startsWith("INTERRUPT");

/** After such an error the database refuses all further work until it is opened anew. */
export const isFatal = (error: unknown) =>
  error instanceof Error && /^(FATAL|INTERNAL) Error|database has been invalidated/.test(error.message);

/** Runs the statements in one transaction and takes all of them back when one throws. */
export async function inTransaction<T>(connection: DuckDBConnection, statements: () => Promise<T>): Promise<T> {
  await connection.run("BEGIN");
  try {
    const answer = await statements();
    await connection.run("COMMIT");
    return answer;
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** An unsigned id written as hexadecimal, as an SQL literal. */
export const idLiteral = (hex: string, type: "UHUGEINT" | "UBIGINT") => `'${BigInt(`0x${hex}`)}'::${type}`;

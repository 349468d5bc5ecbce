import { rmSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBAppender, type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { databaseFile } from "./database-file.ts";

export type DatabaseConnection = DuckDBConnection;
export type Appender = DuckDBAppender;

export type Database = {
  /** A connection runs one statement at a time. With a second connection, `read`, reads do not wait for commits. */
  write: DatabaseConnection;
  read: DatabaseConnection;
  close: () => void;
};

/** DuckDB writes a commit of at least this many rows directly into the file, without its write-ahead log. */
const ROW_GROUP_ROWS = 20_480;

export const attach = (file: string, name: string) =>
  `ATTACH '${file.replaceAll("'", "''")}' AS ${name} (STORAGE_VERSION 'latest', ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`;

/** Writes rows that do not fit in memory to `spillFolder`. */
export const createEngine = (spillFolder: string, memoryLimitMb: number): Promise<DuckDBInstance> =>
  DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${memoryLimitMb}MB`,
    temp_directory: spillFolder,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });

/** Only one thread of one process may have the database open, so the caller must call `lockDataDir` first. */
export async function openDatabase(dataDir: string, memoryLimitMb: number): Promise<Database> {
  const spill = join(dataDir, "samples.spill");
  rmSync(spill, { recursive: true, force: true }); // after a crash, parts of conversations may be there
  const instance = await createEngine(spill, memoryLimitMb);
  const write = await instance.connect();
  const close = () => {
    write.closeSync();
    instance.closeSync();
  };
  try {
    await openAnalytics(write, dataDir);
    const read = await instance.connect();
    await read.run("USE analytics");
    return {
      write,
      read,
      close: () => {
        read.closeSync();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function openAnalytics(write: DatabaseConnection, dataDir: string): Promise<void> {
  await write.run(attach(databaseFile(dataDir), "analytics"));
  // Rows in the write-ahead log take several times their size in memory.
  await write.run("SET wal_autocheckpoint = '8MB'");
  await write.run("SET lock_configuration = true");
  await write.run("USE analytics");
}

/** INTEGER becomes a number; BIGINT and wider types become a bigint. */
export async function rowsOf<Row>(
  connection: DatabaseConnection,
  sql: string,
  values: DuckDBValue[] = [],
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, values.length > 0 ? values : undefined);
  return reader.getRowObjects() as Row[];
}

/** Interrupts the connection after `timeoutMs`; `work` then throws an error for which `isInterrupted` is true. */
export async function withDeadline<T>(
  connection: DatabaseConnection,
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

/** After a fatal error, DuckDB rejects every statement until the database is opened again. */
export const isFatal = (error: unknown) =>
  error instanceof Error && /^(FATAL|INTERNAL) Error|database has been invalidated/.test(error.message);

export async function inTransaction<T>(connection: DatabaseConnection, statements: () => Promise<T>): Promise<T> {
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

export const idLiteral = (hex: string, type: "UHUGEINT" | "UBIGINT") => `'${BigInt(`0x${hex}`)}'::${type}`;

export function integer(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Not a whole number: ${value}`);
  return value;
}

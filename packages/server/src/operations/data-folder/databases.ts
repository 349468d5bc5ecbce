import { AppError } from "../../base/errors.ts";
import { type Db, isStoreUnavailable, type Relational } from "../../stores/relational.ts";
import { FolderRefusal } from "./refusal.ts";

export type Addresses = { databaseUrl: string; clickHouseUrl: string };

type Opening<Spans> = {
  openRows: (url: string) => Promise<Relational>;
  openSpans: (url: string, db: Db) => Promise<Spans>;
};

/**
 * Runs work on the databases of the settings. Throws when they cannot be used. When they become unavailable during the work, the error
 * message advises to repeat the command; `ofRepeat` is the end of that message and describes what a repeat does.
 */
export async function onDatabases<Spans extends { close: () => Promise<void> }, Result>(
  { databaseUrl, clickHouseUrl }: Addresses,
  { openRows, openSpans }: Opening<Spans>,
  work: (db: Db, spans: Spans) => Promise<Result>,
  ofRepeat: string,
): Promise<Result> {
  const { db, close } = await openRows(databaseUrl).catch(unusable("PostgreSQL", "SVC_DATABASE_URL"));
  try {
    const spans = await openSpans(clickHouseUrl, db).catch(unusable("ClickHouse", "SVC_CLICKHOUSE_URL"));
    try {
      return await work(db, spans);
    } catch (error) {
      if (!(error instanceof AppError) && !isStoreUnavailable(error)) throw error;
      const message = `The move stopped: ${(error as Error).message} Repeat the command: ${ofRepeat}`;
      throw new FolderRefusal("databases_unreachable", message);
    } finally {
      await spans.close();
    }
  } finally {
    await close();
  }
}

const unusable =
  (name: string, setting: string) =>
  (error: unknown): never => {
    const message = `${name} refuses or does not answer: ${(error as Error).message}. Check ${setting}, and repeat the command.`;
    throw new FolderRefusal("databases_unreachable", message);
  };

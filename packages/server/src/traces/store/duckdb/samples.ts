import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  ENUM,
  UINTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import type { MetricsPeriod, MetricsRequest } from "../../metrics/metric-rules.ts";
import type { StoredReading } from "../reading.ts";
import type {
  CountedConversation,
  CountedRequest,
  EndingCount,
  ExportSelection,
  MetricPoint,
  OccurrencesPeriod,
  Spread,
  SpreadRequest,
  ToolCount,
  VersionSamples,
} from "../trace-store.ts";
import { eachSample } from "../packed-samples.ts";
import { checkFiles, openFileSums } from "./file-sums.ts";
import { type DatabaseConnection, inTransaction, integer, openDatabase, rowsOf, withDeadline } from "./database.ts";
import { copyStatement, EXPORT_QUERIES, queryOfLines } from "./export-queries.ts";
import { countOccurrences, listCounted, readSpread } from "./counted.ts";
import { countToolCalls, readMetrics } from "./metrics.ts";
import { createPoolSchedule } from "./pool-schedule.ts";
import { deleteOutdatedPools, outdatePools } from "./pools.ts";
import { DatabaseLost, MARK_ERASED, removeUnfinishedRewrite, rewriteDatabase } from "./rewrite.ts";
import { samplesOfReadings } from "./samples-of-readings.ts";
import { prepareTables } from "./schema.ts";

/** These samples and tool calls replace those of the same conversation that were derived before, with the number `former`. */
export type ReadingSamples = {
  reading: number;
  former: number | null;
  project: number;
  traceId: string;
  source: string;
  agent: string | null;
  agentVersion: string | null;
  channel: string | null;
} & Pick<StoredReading, "samples" | "toolUses">;

export type Samples = {
  lastReading: () => number;
  store: (readings: readonly ReadingSamples[]) => Promise<void>;
  erase: (readings: readonly number[]) => Promise<void>;
  metrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  countToolCalls: (period: MetricsPeriod) => Promise<ToolCount[] | null>;
  listCounted: (request: CountedRequest) => Promise<CountedConversation[]>;
  readSpread: (request: SpreadRequest) => Promise<Spread>;
  countOccurrences: (period: OccurrencesPeriod) => Promise<EndingCount[] | null>;
  ofReadings: (readings: readonly number[]) => Promise<Pick<VersionSamples, "samples" | "toolCalls">>;
  export: (selection: SampleSelection, file: string) => Promise<void>;
  pool: () => Promise<void>;
  rewrite: () => Promise<boolean>;
  /** Waits for running work and closes the database. With `isWhole`, first writes the log into the database. */
  close: (isWhole: boolean) => Promise<void>;
};

type SampleSelection =
  | Extract<ExportSelection, { table: "lines" }>
  | { table: "measures" | "tool_calls"; project: number };

type SamplesOptions = {
  dataDir: string;
  memoryLimitMb: number;
  log: Parameters<typeof openFileSums>[2];
  /** Called with the error when damage is found while the database is open, or when a failure leaves the database closed. */
  onFailed: (error: unknown) => void;
};

const READ_DEADLINE_MS = 15_000;
const RETRY_MS = 60_000;

/** Throws if the database is damaged. */
export async function openSamples({ dataDir, memoryLimitMb, log, onFailed }: SamplesOptions): Promise<Samples> {
  removeUnfinishedRewrite(dataDir);
  const unchecked = checkFiles(dataDir);
  const database = await openDatabase(dataDir, memoryLimitMb);
  const { write, read } = database;
  let lastReading: number;
  try {
    lastReading = await prepareTables(write);
  } catch (error) {
    database.close();
    throw error;
  }
  const sums = openFileSums(dataDir, unchecked, log, onFailed);
  const pools = createPoolSchedule(write);
  const writeInOrder = createOrder();
  const readInOrder = createOrder();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Runs writes one after another, because a connection runs one statement at a time. */
  const writing = <T>(work: () => Promise<T>): Promise<T> =>
    writeInOrder(async () => {
      try {
        return await work();
      } finally {
        sums.add();
      }
    });
  /**
   * Runs reads one after another. A query that waits for the connection would block a thread of Node's thread pool, which the journal
   * needs for writes.
   */
  const reading = <T>(work: () => Promise<T>): Promise<T> =>
    readInOrder(() => withDeadline(read, READ_DEADLINE_MS, work));

  function schedulePools(): void {
    clearTimeout(timer);
    const at = pools.nextAt();
    if (isClosed || at === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(
      () => {
        writing(pools.makeRound).then(schedulePools, (error: unknown) => {
          log("error", "samples could not be pooled; the service tries again", { error });
          if (!isClosed) timer = setTimeout(schedulePools, RETRY_MS);
        });
      },
      Math.max(0, at - performance.now()),
    );
  }

  async function add(readings: readonly ReadingSamples[]): Promise<void> {
    const former = readings.flatMap((one) => one.former ?? []);
    const replaced = new Set(former);
    const current = readings.filter(({ reading: number }) => !replaced.has(number));
    const newest = readings.at(-1)!.reading;
    await inTransaction(write, async () => {
      if (former.length > 0) await deleteReadings(write, former);
      await appendSamples(write, current);
      await outdatePools(write, `SELECT project, at_ms FROM measures WHERE reading IN (${listOf(current)})`);
      await write.run(`UPDATE sample_state SET reading = ${integer(newest)}`);
    });
    lastReading = newest;
    pools.outdate();
  }

  schedulePools();
  return {
    lastReading: () => lastReading,
    async store(readings) {
      const unknown = readings.filter((one) => one.reading > lastReading);
      if (unknown.length === 0) return;
      await writing(() => add(unknown));
      schedulePools();
    },
    async erase(readings) {
      if (readings.length === 0) return;
      await writing(() =>
        inTransaction(write, async () => {
          await write.run(MARK_ERASED);
          await deleteReadings(write, readings);
          await deleteOutdatedPools(write);
        }),
      );
    },
    metrics: (request) => reading(() => readMetrics(read, request)),
    countToolCalls: (period) => reading(() => countToolCalls(read, period)),
    listCounted: (request) => reading(() => listCounted(read, request)),
    countOccurrences: (period) => reading(() => countOccurrences(read, period)),
    readSpread: (request) => reading(() => readSpread(read, request)),
    ofReadings: (readings) => reading(() => samplesOfReadings(read, readings)),
    export: (selection, file) =>
      readInOrder(() => read.run(copyStatement(queryOf(selection), file)).then(() => undefined)),
    pool: () => writing(pools.makeAll),
    async rewrite() {
      try {
        return await writing(() => rewriteDatabase(database, dataDir, readInOrder));
      } catch (error) {
        if (error instanceof DatabaseLost) onFailed(error);
        throw error;
      }
    },
    async close(isWhole) {
      isClosed = true;
      clearTimeout(timer);
      await writeInOrder(async () => {
        if (isWhole) await write.run("CHECKPOINT analytics");
      }).catch((error: unknown) => log("warn", "the database of samples could not be closed in order", { error }));
      await readInOrder(async () => undefined);
      sums.close();
      database.close();
    },
  };
}

function createOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

const listOf = (readings: readonly ReadingSamples[]) => readings.map(({ reading }) => integer(reading)).join(", ");

/** The number of rows in a full chunk. */
const CHUNK_ROWS = 2048;
const SAMPLE_TYPES = [
  BIGINT,
  UINTEGER,
  VARCHAR,
  VARCHAR,
  VARCHAR,
  VARCHAR,
  VARCHAR,
  VARCHAR,
  BIGINT,
  DOUBLE,
  VARCHAR,
  UINTEGER,
];
const TOOL_CALL_TYPES = [BIGINT, UINTEGER, VARCHAR, VARCHAR, VARCHAR, VARCHAR, VARCHAR, VARCHAR, BIGINT, BOOLEAN];

async function appendSamples(write: DatabaseConnection, readings: readonly ReadingSamples[]): Promise<void> {
  const samples = await createChunkAppender(write, "measures", SAMPLE_TYPES);
  const toolCalls = await createChunkAppender(write, "tool_calls", TOOL_CALL_TYPES);
  for (const {
    reading,
    project,
    traceId,
    source,
    agent,
    agentVersion,
    channel,
    samples: packed,
    toolUses,
  } of readings) {
    const of = [BigInt(reading), project, traceId, source, agent, agentVersion, channel];
    eachSample(packed, (measure, atMs, value, provenance, turn) =>
      samples.append([...of, measure, BigInt(atMs), value, provenance, turn]),
    );
    for (const { tool, atMs, isError } of toolUses) toolCalls.append([...of, tool, BigInt(atMs), isError]);
  }
  samples.close();
  toolCalls.close();
}

/** Appends in chunks, because one database call per value would take most of the time. */
async function createChunkAppender(write: DatabaseConnection, table: string, types: DuckDBType[]) {
  const appender = await write.createAppender(table);
  let rows: DuckDBValue[][] = [];

  function flush(): void {
    const chunk = DuckDBDataChunk.create(types.map((type, column) => (type === VARCHAR ? enumOf(column) : type)));
    chunk.setRows(rows);
    appender.appendDataChunk(chunk);
    rows = [];
  }

  /**
   * Returns an enum type with the texts of a column. Each text in a chunk would cost one call, and most texts repeat. The appender
   * converts the enum values back to texts.
   */
  function enumOf(column: number): DuckDBType {
    const texts = new Set(rows.map((row) => row[column] as string | null));
    texts.delete(null);
    return texts.size === 0 ? VARCHAR : ENUM([...(texts as Set<string>)]);
  }

  return {
    append(row: DuckDBValue[]): void {
      rows.push(row);
      if (rows.length === CHUNK_ROWS) flush();
    },
    close(): void {
      if (rows.length > 0) flush();
      appender.closeSync();
    },
  };
}

async function deleteReadings(write: DatabaseConnection, readings: readonly number[]): Promise<void> {
  const numbers = readings.map(integer).join(", ");
  const stored = await rowsOf(write, `SELECT 1 FROM measures WHERE reading IN (${numbers}) LIMIT 1`);
  if (stored.length > 0) await outdatePools(write, `SELECT project, at_ms FROM measures WHERE reading IN (${numbers})`);
  for (const table of ["measures", "tool_calls"]) await write.run(`DELETE FROM ${table} WHERE reading IN (${numbers})`);
}

function queryOf(selection: SampleSelection): string {
  if (selection.table === "lines") return queryOfLines(selection);
  const { table, project } = selection;
  return EXPORT_QUERIES[table](`SELECT * FROM ${table} WHERE project = ${integer(project)}`);
}

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "../../../base/errors.ts";

const READ_SECONDS_MAX = 15;
const REQUEST_TIMEOUT_MS = 30_000;
/** Pauses in milliseconds before an INSERT without an answer is sent again, with the same token. */
const RETRY_AFTER_MS = [100, 500, 2_000];
/** Largest size of a statement. Statements contain long lists of ids. */
const QUERY_BYTES_MAX = 16 * 1024 * 1024;

type Insert = { table: string; columns: readonly string[]; format: "Native" | "JSONEachRow"; bytes: Buffer };

export type ClickHouse = {
  table: (name: string) => string;
  /** Integers of 64 bits and more are strings. */
  rowsOf: <Row>(query: string, parameters?: Record<string, unknown>) => Promise<Row[]>;
  /** Returns the rows of a query as lines, each a JSON list. */
  linesOf: (query: string) => Promise<Uint8Array<ArrayBuffer>>;
  /** Yields the rows of a query as lines, each a JSON object. Yields nothing before the whole query has succeeded. */
  jsonOf: (query: string) => AsyncIterable<Uint8Array>;
  /** Stores the rows on disk, exactly once. Sends an INSERT without an answer again; ClickHouse ignores a repeated INSERT. */
  insert: (rows: Insert) => Promise<void>;
  run: (statement: string, parameters?: Record<string, unknown>) => Promise<void>;
  answers: () => Promise<boolean>;
  close: () => Promise<void>;
};

/** The path of the address names the database. Without a path, the database is `default`. */
export async function openClickHouse(address: string): Promise<ClickHouse> {
  const { ClickHouseError, ClickHouseLogLevel, createClient } = await import("@clickhouse/client");
  const url = new URL(address);
  const database = decodeURIComponent(url.pathname.slice(1)) || "default";
  url.pathname = "/";
  const client = createClient({
    url,
    request_timeout: REQUEST_TIMEOUT_MS,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1, max_query_size: String(QUERY_BYTES_MAX) },
  });
  const table = (name: string) => `\`${database}\`.${name}`;
  const reading = { max_execution_time: READ_SECONDS_MAX };

  /** Throws `unavailable` if ClickHouse does not answer or lacks resources. */
  function named(error: unknown): never {
    if (error instanceof ClickHouseError && !BUSY.has(error.type ?? "")) throw error;
    throw Object.assign(unavailable("The trace store does not answer; try again later.", 5), { cause: error });
  }

  async function insert({ table: into, columns, format, bytes }: Insert): Promise<void> {
    const query = `INSERT INTO ${table(into)} (${columns.join(", ")}) FORMAT ${format}`;
    const settings = { insert_deduplication_token: randomUUID(), insert_deduplicate: 1, async_insert: 0 } as const;
    for (let attempt = 0; ; attempt++) {
      try {
        const { stream } = await client.exec({ query, values: Readable.from([bytes]), clickhouse_settings: settings });
        await stream.resume().toArray();
        return;
      } catch (error) {
        const isRefused = error instanceof ClickHouseError && !BUSY.has(error.type ?? "");
        if (isRefused || attempt === RETRY_AFTER_MS.length) named(error);
        await delay(RETRY_AFTER_MS[attempt]);
      }
    }
  }

  async function rowsOf<Row>(query: string, parameters: Record<string, unknown> = {}): Promise<Row[]> {
    const options = { format: "JSONEachRow", query_params: parameters, clickhouse_settings: reading } as const;
    const found = await client.query({ query, ...options }).catch(named);
    return found.json<Row>().catch(named);
  }

  async function linesOf(query: string): Promise<Uint8Array<ArrayBuffer>> {
    const format = `${query} FORMAT JSONCompactEachRow`;
    const { stream } = await client.exec({ query: format, clickhouse_settings: reading }).catch(named);
    const chunks = await (stream.toArray() as Promise<Buffer[]>).catch(named);
    // A new buffer that nothing else uses, so that it can be transferred to another thread.
    const lines = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      lines.set(chunk, at);
      at += chunk.length;
    }
    return lines;
  }

  async function* jsonOf(query: string): AsyncGenerator<Uint8Array> {
    const settings = { ...reading, output_format_json_quote_64bit_integers: 0, wait_end_of_query: 1 } as const;
    const whole = { query: `${query} FORMAT JSONEachRow`, clickhouse_settings: settings };
    const { stream } = await client.exec(whole).catch(named);
    try {
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (error) {
      named(error);
    }
  }

  return {
    table,
    rowsOf,
    linesOf,
    jsonOf,
    insert,
    async run(query, parameters = {}) {
      // Waits until the deletion has rewritten every part of the table.
      const settings = { mutations_sync: "2" } as const;
      await client.command({ query, query_params: parameters, clickhouse_settings: settings }).catch(named);
    },
    answers: async () => (await client.ping()).success,
    close: () => client.close(),
  };
}

/** Types of errors with which ClickHouse reports that it temporarily lacks resources. */
const BUSY = new Set([
  "TOO_MANY_PARTS",
  "TOO_MANY_SIMULTANEOUS_QUERIES",
  "MEMORY_LIMIT_EXCEEDED",
  "TIMEOUT_EXCEEDED",
  "NETWORK_ERROR",
  "SOCKET_TIMEOUT",
  "NOT_ENOUGH_SPACE",
  "TABLE_IS_READ_ONLY",
  "KEEPER_EXCEPTION",
]);

export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

export function traceLiteral(traceId: string): string {
  if (!/^[0-9a-f]{32}$/.test(traceId)) throw new Error("not a trace id");
  return `toUInt128('${BigInt(`0x${traceId}`)}')`;
}

export function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error("not an integer");
  return String(value);
}

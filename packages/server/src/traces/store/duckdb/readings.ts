import type { StoredReading } from "../reading.ts";
import { type Appender, type DatabaseConnection, rowsOf, type WritingDatabase } from "./database.ts";
import { groupsOf, SUMS } from "./groups.ts";
import { outdatePools } from "./pools.ts";

type KeyedReading = StoredReading & { project: number; key: string };

const READINGS = `
  CREATE TEMP TABLE readings (reading BIGINT, project UINTEGER, key VARCHAR, turns UINTEGER,
    tool_calls UINTEGER, latency_n UINTEGER, latency_mean DOUBLE, latency_max DOUBLE, latency_p50 DOUBLE,
    latency_p95 DOUBLE, text_response_n UINTEGER, text_response_mean DOUBLE, text_response_max DOUBLE,
    text_response_p50 DOUBLE, text_response_p95 DOUBLE, interruptions UINTEGER, quality VARCHAR, preview VARCHAR,
    transcript VARCHAR, names VARCHAR)`;
const SAMPLES = `
  CREATE TEMP TABLE samples (reading BIGINT, measure VARCHAR, at_ms BIGINT, value DOUBLE,
    provenance VARCHAR, turn UINTEGER)`;
const TOOL_USES = `
  CREATE TEMP TABLE tool_uses (reading BIGINT, tool VARCHAR, at_ms BIGINT, is_error BOOLEAN)`;

type ReadingWriter = {
  /** Replaces the readings of the conversations, whose traces are in the table `chosen`. */
  replace: (readings: readonly KeyedReading[], mappingVersion: number) => Promise<void>;
  /** Frees the memory of the last readings; call it outside a transaction. */
  free: () => Promise<void>;
};

export async function createReadingWriter({ write, statements }: WritingDatabase): Promise<ReadingWriter> {
  for (const table of [READINGS, SAMPLES, TOOL_USES]) await write.run(table);
  const [newest] = await rowsOf<{ reading: bigint }>(
    write,
    `SELECT coalesce(max(reading), 0)::BIGINT AS reading
     FROM (SELECT reading FROM conversations UNION ALL SELECT reading FROM measures)`,
  );
  let last = newest!.reading;

  async function empty(): Promise<void> {
    for (const table of ["readings", "samples", "tool_uses"]) await statements.run(`TRUNCATE temp.${table}`);
  }

  async function free(): Promise<void> {
    await empty();
    await statements.run("CHECKPOINT temp"); // without this call the emptied tables keep their memory
  }

  async function stage(readings: readonly KeyedReading[]): Promise<void> {
    await empty();
    const rows = await write.createAppender("readings", "main", "temp");
    const samples = await write.createAppender("samples", "main", "temp");
    const toolUses = await write.createAppender("tool_uses", "main", "temp");
    for (const reading of readings) append(rows, samples, toolUses, reading);
    for (const appender of [rows, samples, toolUses]) appender.closeSync();
  }

  function append(rows: Appender, samples: Appender, toolUses: Appender, reading: KeyedReading): void {
    const orNull = <Value>(value: Value | null | undefined, put: (value: Value) => void) =>
      value === null || value === undefined ? rows.appendNull() : put(value);
    const count = (value: number | null | undefined) => orNull(value, (present) => rows.appendUInteger(present));
    const number = (value: number | null | undefined) => orNull(value, (present) => rows.appendDouble(present));
    const text = (value: string | null) => orNull(value, (present) => rows.appendVarchar(present));
    rows.appendBigInt(++last);
    rows.appendUInteger(reading.project);
    rows.appendVarchar(reading.key);
    for (const value of [reading.turns, reading.toolCalls]) count(value);
    for (const times of [reading.latency, reading.textResponse]) {
      count(times?.n);
      for (const statistic of ["mean", "max", "p50", "p95"] as const) number(times?.[statistic]);
    }
    count(reading.interruptions);
    text(reading.qualityTopics?.join(" ") ?? null);
    for (const value of [reading.preview, reading.transcript, reading.names]) text(value);
    rows.endRow();
    for (const sample of reading.samples) {
      samples.appendBigInt(last);
      samples.appendVarchar(sample.measure);
      samples.appendBigInt(BigInt(sample.atMs));
      samples.appendDouble(sample.value);
      samples.appendVarchar(sample.provenance);
      if (sample.turn === null) samples.appendNull();
      else samples.appendUInteger(sample.turn);
      samples.endRow();
    }
    for (const { tool, atMs, isError } of reading.toolUses) {
      toolUses.appendBigInt(last);
      if (tool === null) toolUses.appendNull();
      else toolUses.appendVarchar(tool);
      toolUses.appendBigInt(BigInt(atMs));
      if (isError === null) toolUses.appendNull();
      else toolUses.appendBoolean(isError);
      toolUses.endRow();
    }
  }

  async function replace(readings: readonly KeyedReading[], mappingVersion: number): Promise<void> {
    await stage(readings);
    const replaced = await statements.rowsOf<{ reading: bigint }>(
      `SELECT DISTINCT c.reading FROM temp.chosen c SEMI JOIN temp.readings r ON r.project = c.project AND r.key = c.key
       WHERE c.reading IS NOT NULL`,
    );
    if (replaced.length > 0) await deleteReadings(write, replaced.map(({ reading }) => reading).join(", "));
    await statements.run(
      `INSERT INTO conversations BY NAME
       SELECT r.* EXCLUDE (key), ${mappingVersion} AS mapping_version, ${SUMS}
       FROM temp.readings r JOIN (${groupsOf("FROM temp.chosen")}) g ON g.project = r.project AND g.key = r.key
       ORDER BY r.reading`,
    );
    await outdatePools(write, "SELECT r.project, s.at_ms FROM temp.samples s JOIN temp.readings r USING (reading)");
    await statements.run(
      `INSERT INTO measures
       SELECT s.reading, c.project, c.source, c.agent, s.measure, s.at_ms, s.value, s.provenance, s.turn
       FROM temp.samples s JOIN conversations c USING (reading) ORDER BY s.reading`,
    );
    await statements.run(
      `INSERT INTO tool_calls
       SELECT u.reading, c.project, c.source, c.agent, u.tool, u.at_ms, u.is_error
       FROM temp.tool_uses u JOIN conversations c USING (reading) ORDER BY u.reading`,
    );
    // Spans that came since the choice may belong to its last record.
    await statements.run(
      `UPDATE traces t SET projected_lsn = if(t.spans = c.spans, c.lsn, c.lsn - 1), reading = r.reading, reread = false
       FROM temp.chosen c JOIN temp.readings r ON r.project = c.project AND r.key = c.key
       WHERE t.project = c.project AND t.trace_id = c.trace_id`,
    );
  }

  return { replace, free };
}

/** Deletes the readings that `numbers`, an SQL list or query, selects; their remaining traces are read again. */
export async function deleteReadings(write: DatabaseConnection, numbers: string): Promise<void> {
  await outdatePools(write, `SELECT project, at_ms FROM measures WHERE reading IN (${numbers})`);
  for (const table of ["conversations", "measures", "tool_calls"])
    await write.run(`DELETE FROM ${table} WHERE reading IN (${numbers})`);
  await write.run(`UPDATE traces SET reading = NULL, projected_lsn = 0 WHERE reading IN (${numbers})`);
}

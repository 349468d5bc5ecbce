import { type Appender, type Connection, rowsOf } from "../../stores/analytics.ts";
import { groupsOf, SUMS } from "./groups.ts";
import type { Reading } from "./reading.ts";

type MadeReading = Reading & { project: number; key: string };

/** Made anew for each round: emptied tables would hold on to their memory. */
const MADE = `
  CREATE OR REPLACE TEMP TABLE made (reading BIGINT, project UINTEGER, key VARCHAR, turns UINTEGER,
    tool_calls UINTEGER, latency_n UINTEGER, latency_mean DOUBLE, latency_max DOUBLE, latency_p50 DOUBLE,
    latency_p95 DOUBLE, preview VARCHAR, transcript VARCHAR)`;
const SAMPLES = `
  CREATE OR REPLACE TEMP TABLE samples (reading BIGINT, measure VARCHAR, at_ms BIGINT, value DOUBLE,
    provenance VARCHAR, turn UINTEGER)`;

/** Writes readings of the conversations whose traces are in the table `chosen`. */
export async function openReadings(write: Connection) {
  const [newest] = await rowsOf<{ reading: bigint }>(
    write,
    `SELECT coalesce(max(reading), 0)::BIGINT AS reading
     FROM (SELECT reading FROM conversations UNION ALL SELECT reading FROM measures)`,
  );
  let last = newest!.reading;

  async function stage(made: readonly MadeReading[]): Promise<void> {
    await write.run(MADE);
    await write.run(SAMPLES);
    const rows = await write.createAppender("made", "main", "temp");
    const samples = await write.createAppender("samples", "main", "temp");
    for (const one of made) append(rows, samples, one);
    rows.closeSync();
    samples.closeSync();
  }

  function append(rows: Appender, samples: Appender, made: MadeReading): void {
    const orNull = <Value>(value: Value | null | undefined, put: (value: Value) => void) =>
      value === null || value === undefined ? rows.appendNull() : put(value);
    const count = (value: number | null | undefined) => orNull(value, (known) => rows.appendUInteger(known));
    const number = (value: number | null | undefined) => orNull(value, (known) => rows.appendDouble(known));
    const text = (value: string | null) => orNull(value, (known) => rows.appendVarchar(known));
    rows.appendBigInt(++last);
    rows.appendUInteger(made.project);
    rows.appendVarchar(made.key);
    for (const value of [made.turns, made.toolCalls, made.latency?.n]) count(value);
    for (const part of ["mean", "max", "p50", "p95"] as const) number(made.latency?.[part]);
    for (const value of [made.preview, made.transcript]) text(value);
    rows.endRow();
    for (const sample of made.samples) {
      samples.appendBigInt(last);
      samples.appendVarchar(sample.measure);
      samples.appendBigInt(BigInt(sample.atMs));
      samples.appendDouble(sample.value);
      samples.appendVarchar(sample.provenance);
      if (sample.turn === null) samples.appendNull();
      else samples.appendUInteger(sample.turn);
      samples.endRow();
    }
  }

  async function replace(made: readonly MadeReading[], mappingVersion: number): Promise<void> {
    await stage(made);
    const replaced = await rowsOf<{ reading: bigint }>(
      write,
      `SELECT DISTINCT w.reading FROM temp.chosen w SEMI JOIN temp.made m ON m.project = w.project AND m.key = w.key WHERE w.reading IS NOT NULL`,
    );
    if (replaced.length > 0) await dropReadings(write, replaced.map(({ reading }) => reading).join(", "));
    await write.run(
      `INSERT INTO conversations BY NAME
       SELECT m.* EXCLUDE (key), ${mappingVersion} AS mapping_version, ${SUMS}
       FROM temp.made m JOIN (${groupsOf("FROM temp.chosen")}) g ON g.project = m.project AND g.key = m.key
       ORDER BY m.reading`,
    );
    await write.run(
      `INSERT INTO measures
       SELECT s.reading, c.project, c.source, c.agent, s.measure, s.at_ms, s.value, s.provenance, s.turn
       FROM temp.samples s JOIN conversations c USING (reading) ORDER BY s.reading`,
    );
    await write.run(
      `UPDATE traces t SET projected_lsn = t.lsn, reading = m.reading, reread = false
       FROM temp.chosen w JOIN temp.made m ON m.project = w.project AND m.key = w.key
       WHERE t.project = w.project AND t.trace_id = w.trace_id`,
    );
  }

  return { replace };
}

/** Drops the readings whose numbers stand in `numbers`, an SQL list or query; a trace that is left with one is read again. */
export async function dropReadings(write: Connection, numbers: string): Promise<void> {
  for (const table of ["conversations", "measures"])
    await write.run(`DELETE FROM ${table} WHERE reading IN (${numbers})`);
  await write.run(`UPDATE traces SET reading = NULL, projected_lsn = 0 WHERE reading IN (${numbers})`);
}

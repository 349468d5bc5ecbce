import { SAMPLE_PROVENANCES } from "@svc/contract/constants";
import { QUARTER_MS } from "../../metrics/metric-buckets.ts";
import { type DatabaseConnection, integer, inTransaction, rowsOf } from "./database.ts";

export const QUARTER = `(at_ms // ${QUARTER_MS})::INTEGER`;
/** Time without changes after which the pools of a quarter are built. A quarter that changed more recently often changes again. */
export const CHANGING_MS = 60_000;
const QUARTERS_PER_ROUND = 48;
const SAMPLES_PER_PASS = 200_000;

/** The caller adds the columns to group by. */
export const POOLED = `count(*) AS count, fsum(value) AS total,
  bit_or(CASE provenance ${SAMPLE_PROVENANCES.map((name, at) => `WHEN '${name}' THEN ${1 << at}`).join(" ")} ELSE 0 END)::UTINYINT
    AS provenances,
  list_sort(list(value)) AS samples`;

/**
 * Marks the quarters whose samples are about to change. `samples` is a SQL query for the `project` and `at_ms` of these samples.
 * Queries ignore the pools of marked quarters.
 */
export async function outdatePools(write: DatabaseConnection, samples: string): Promise<void> {
  await write.run(
    `INSERT INTO outdated_quarters SELECT DISTINCT project, ${QUARTER}, ${integer(Date.now())} FROM (${samples})`,
  );
}

/** Deletes the pools of marked quarters and of their hours, because they contain erased samples. */
export async function deleteOutdatedPools(write: DatabaseConnection): Promise<void> {
  await deletePools(write, "outdated_quarters");
  await write.run(UNUSED_SERIES);
}

const UNUSED_SERIES = "DELETE FROM pool_series WHERE series NOT IN (SELECT series FROM quarter_pools)";

async function deletePools(write: DatabaseConnection, table: string): Promise<void> {
  await write.run(`DELETE FROM quarter_pools WHERE (project, quarter) IN (SELECT project, quarter FROM ${table})`);
  await write.run(
    `DELETE FROM hour_pools WHERE (project, quarter // 4) IN (SELECT project, quarter // 4 FROM ${table})`,
  );
}

/**
 * With `all`, includes quarters that have just changed. Returns whether more quarters can be rebuilt now (`isMore`),
 * and whether any quarters are still marked (`remain`).
 */
export async function makePools(
  write: DatabaseConnection,
  { all, samplesPerPass = SAMPLES_PER_PASS }: { all: boolean; samplesPerPass?: number },
): Promise<{ isMore: boolean; remain: boolean }> {
  const nowMs = Date.now();
  const quarters = await rowsOf<{ project: number; quarter: number; ready: boolean }>(
    write,
    `SELECT project, quarter, ${all ? "true" : `max(changed_ms) NOT BETWEEN ${nowMs - CHANGING_MS} AND ${nowMs}`} AS ready
     FROM outdated_quarters GROUP BY project, quarter ORDER BY ready DESC, project, quarter LIMIT ${QUARTERS_PER_ROUND + 1}`,
  );
  const round = quarters.filter(({ ready }) => ready).slice(0, QUARTERS_PER_ROUND);
  if (round.length === 0) return { isMore: false, remain: quarters.length > 0 };
  await write.run(
    `CREATE OR REPLACE TEMP TABLE remade AS SELECT * FROM (VALUES ${round
      .map(({ project, quarter }) => `(${project}::UINTEGER, ${quarter})`)
      .join(", ")}) v(project, quarter)`,
  );
  await replacePools(
    write,
    round.map(({ quarter }) => quarter),
    samplesPerPass,
  );
  const remaining = quarters.slice(round.length);
  return { isMore: remaining.some(({ ready }) => ready), remain: remaining.length > 0 };
}

/**
 * If there are many samples, pools one measure after another, each in its own transaction, because pooling all measures
 * at once would need several times the size of the samples in memory. The quarters stay marked until all measures are
 * pooled.
 */
async function replacePools(write: DatabaseConnection, quarters: readonly number[], samplesPerPass: number) {
  const range = { first: Math.min(...quarters), last: Math.max(...quarters) };
  const [remade] = await rowsOf<{ samples: bigint }>(write, `SELECT count(*) AS samples FROM ${remadeSamples(range)}`);
  if (remade!.samples <= samplesPerPass) {
    await inTransaction(write, async () => {
      await deletePools(write, "temp.remade");
      await addQuarterPools(write, range);
      await addHourPools(write, range);
      await unmarkRemade(write);
    });
    return;
  }
  await inTransaction(write, () => deletePools(write, "temp.remade"));
  for (const measure of await measuresIn(write, remadeSamples(range)))
    await inTransaction(write, () => addQuarterPools(write, range, measure));
  for (const measure of await measuresIn(write, "pool_series"))
    await inTransaction(write, () => addHourPools(write, range, measure));
  await inTransaction(write, () => unmarkRemade(write));
}

type QuarterRange = { first: number; last: number };

const remadeSamples = ({ first, last }: QuarterRange) =>
  `(FROM measures WHERE at_ms >= ${first * QUARTER_MS} AND at_ms < ${(last + 1) * QUARTER_MS}
    AND (project, ${QUARTER}) IN (SELECT project, quarter FROM temp.remade))`;

async function measuresIn(write: DatabaseConnection, table: string): Promise<string[]> {
  const rows = await rowsOf<{ measure: string }>(write, `SELECT DISTINCT measure FROM ${table}`);
  return rows.map(({ measure }) => measure);
}

const ofMeasure = (measure: string | undefined) =>
  measure === undefined ? { condition: "true", values: [] } : { condition: "measure = $1", values: [measure] };

async function addQuarterPools(write: DatabaseConnection, range: QuarterRange, measure?: string): Promise<void> {
  const { condition, values } = ofMeasure(measure);
  await write.run(
    `CREATE OR REPLACE TEMP TABLE remade_pools AS
     SELECT project, source, agent, agent_version, channel, measure, ${QUARTER} AS quarter, ${POOLED} FROM ${remadeSamples(range)}
     WHERE ${condition} GROUP BY ALL`,
    values,
  );
  await write.run(
    `INSERT INTO pool_series
     SELECT (SELECT coalesce(max(series), 0) FROM pool_series) + row_number() OVER (ORDER BY measure, source, agent, agent_version, channel),
       project, source, agent, agent_version, channel, measure
     FROM (SELECT DISTINCT project, source, agent, agent_version, channel, measure FROM temp.remade_pools
       EXCEPT SELECT project, source, agent, agent_version, channel, measure FROM pool_series)`,
  );
  await write.run(
    `INSERT INTO quarter_pools
     SELECT p.project, s.series, p.quarter, p.count, p.total, p.provenances, p.samples FROM temp.remade_pools p
     JOIN pool_series s ON s.project = p.project AND s.source = p.source AND s.measure = p.measure
       AND s.agent IS NOT DISTINCT FROM p.agent AND s.agent_version IS NOT DISTINCT FROM p.agent_version
       AND s.channel IS NOT DISTINCT FROM p.channel
     ORDER BY s.series, p.quarter`,
  );
  await write.run("DROP TABLE temp.remade_pools");
}

/** The pool of an hour includes all four quarters of the hour. */
async function addHourPools(write: DatabaseConnection, range: QuarterRange, measure?: string): Promise<void> {
  const { condition, values } = ofMeasure(measure);
  await write.run(
    `INSERT INTO hour_pools
     SELECT project, series, (quarter // 4 * 4)::INTEGER AS first, sum(count)::BIGINT, fsum(total), bit_or(provenances),
       list_sort(flatten(list(samples)))
     FROM quarter_pools WHERE quarter BETWEEN ${range.first - 3} AND ${range.last + 3}
       AND (project, quarter // 4) IN (SELECT project, quarter // 4 FROM temp.remade)
       AND series IN (SELECT series FROM pool_series WHERE ${condition})
     GROUP BY ALL ORDER BY series, first`,
    values,
  );
}

async function unmarkRemade(write: DatabaseConnection): Promise<void> {
  await write.run(
    "DELETE FROM outdated_quarters WHERE (project, quarter) IN (SELECT project, quarter FROM temp.remade)",
  );
  await write.run(UNUSED_SERIES);
}

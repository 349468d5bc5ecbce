import { isMeasureName, type MeasureName, SAMPLE_PROVENANCES } from "@svc/contract/constants";
import { minimumSampleCount } from "../../measures/percentile.ts";
import type { MetricsPeriod, MetricsRequest } from "../../metrics/metric-rules.ts";
import { areTooMany, bucketOf, ROWS_MAX, utcStart } from "../../metrics/metric-buckets.ts";
import type { MetricPoint, ToolCount } from "../trace-store.ts";
import { type ClickHouse, integer, quoted } from "./client.ts";

type Source = MetricPoint["source"];
/** A row for one group and one bucket, whose start is in local time. For the whole period, the start is null. */
type Bucketed<Row> = Omit<Row, "startMs"> & { start: number | null };

type SampleRow = {
  source: Source;
  agent: string | null;
  version?: string | null;
  channel?: MetricPoint["channel"];
  measure: string;
  start: number | null;
  count: number;
  total: number;
  p50: number;
  p90: number;
  p95: number;
  provenances: MetricPoint["provenances"];
};

export async function readMetrics(clickHouse: ClickHouse, request: MetricsRequest): Promise<MetricPoint[] | null> {
  const { measures } = request;
  const ofMeasures = measures && [`measure IN (${measures.map(quoted).join(", ")})`];
  const grouping: Grouping = {
    table: "samples",
    columns: "measure, value, provenance",
    by: namesOf(request, "measure"),
    sums: `count() AS samples, sum(value) AS sum, groupArrayState(value) AS pool, groupUniqArrayState(provenance) AS names`,
    values: `toUInt32(sum(samples)) AS count, sum(sum) AS total, ${[50, 90, 95].map(rank).join(", ")},
      arrayMap(toString, groupUniqArrayMerge(names)) AS provenances`,
    where: ofMeasures ?? [],
  };
  const rows = await grouped<SampleRow>(clickHouse, request, grouping);
  return rows && rows.filter(({ measure }) => isMeasureName(measure)).map((row) => pointOf(row, request));
}

const namesOf = ({ byVersion, byChannel }: MetricsPeriod, item: string) =>
  `source, agent, ${byVersion ? "version, " : ""}${byChannel ? "channel, " : ""}${item}`;

/** SQL for a percentile by nearest rank. */
const rank = (p: number) => `arraySort(groupArrayMerge(pool))[intDiv(count * ${p} + 99, 100)] AS p${p}`;

function pointOf({ measure, start, count, total, ...row }: SampleRow, period: MetricsPeriod): MetricPoint {
  const shown = (p: number, value: number) => (count >= minimumSampleCount(p) ? value : null);
  return {
    source: row.source,
    agent: row.agent,
    version: row.version,
    channel: row.channel,
    measure: measure as MeasureName,
    startMs: utcStart(start, period),
    samples: count,
    // Without rounding, the mean would depend on the order of the samples.
    mean: Math.round((total / count) * 1e6) / 1e6,
    p50: shown(50, row.p50),
    p90: shown(90, row.p90),
    p95: shown(95, row.p95),
    provenances: SAMPLE_PROVENANCES.filter((name) => row.provenances.includes(name)),
  };
}

export async function countToolCalls(clickHouse: ClickHouse, period: MetricsPeriod): Promise<ToolCount[] | null> {
  const grouping: Grouping = {
    table: "tools",
    columns: "tool, is_error",
    by: namesOf(period, "tool"),
    sums: "count() AS all, countIf(is_error = 1) AS failed, countIf(is_error IS NULL) AS open",
    values: "toUInt32(sum(all)) AS calls, toUInt32(sum(failed)) AS errors, toUInt32(sum(open)) AS unknown",
    where: [],
  };
  const rows = await grouped<Bucketed<ToolCount>>(clickHouse, period, grouping);
  return rows && rows.map(({ start, ...row }) => ({ ...row, startMs: utcStart(start, period) }));
}

/** Returns the conditions of the readings that may have samples in the period. */
export const conditionsOf = ({
  project,
  fromMs,
  toMs,
  agents,
  versions,
  channels,
  source,
}: Omit<MetricsPeriod, "bucketMs">): string[] => [
  `project = ${integer(project)} AND last_ms >= ${integer(fromMs)} AND first_ms < ${integer(toMs)}`,
  ...(source === undefined ? [] : [`source = ${quoted(source)}`]),
  ...(agents === undefined ? [] : [`agent IN (${agents.map(quoted).join(", ")})`]),
  ...(versions === undefined ? [] : [`agent_version IN (${versions.map(quoted).join(", ")})`]),
  ...(channels === undefined ? [] : [`channel IN (${channels.map(quoted).join(", ")})`]),
];

type Grouping = {
  table: "samples" | "tools";
  columns: string;
  by: string;
  sums: string;
  values: string;
  where: readonly string[];
};

async function grouped<Row extends { start: number | null }>(
  { rowsOf, table }: ClickHouse,
  period: MetricsPeriod,
  { table: items, columns, by, sums, values, where }: Grouping,
): Promise<Row[] | null> {
  const { fromMs, toMs } = period;
  const conditions = conditionsOf(period);
  const renamed = columns.split(", ").map((name) => `item.${name} AS ${name}`);
  const chosen = [`at_ms >= ${integer(fromMs)}`, `at_ms < ${integer(toMs)}`, ...where].join(" AND ");
  const from = `(SELECT source, agent, agent_version AS version, channel, item.at_ms AS at_ms, ${renamed.join(", ")} FROM ${table("readings")} FINAL
    ARRAY JOIN ${items} AS item WHERE ${conditions.join(" AND ")})`;
  const bucket = bucketOf("at_ms", period, (value, by) => `intDiv(${value}, ${integer(by)})`);
  const rows = await rowsOf<Row>(
    `SELECT ${by}, if(grouping(bucket) = 1, NULL, toFloat64(bucket)) AS start, ${values}
     FROM (SELECT ${by}, ${bucket} AS bucket, ${sums} FROM ${from} WHERE ${chosen} GROUP BY ${by}, bucket)
     GROUP BY GROUPING SETS ((${by}), (${by}, bucket))
     ORDER BY start NULLS FIRST LIMIT ${ROWS_MAX + 1}`,
  );
  return areTooMany(rows) ? null : rows;
}

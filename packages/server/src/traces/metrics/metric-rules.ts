import type { Channel, MeasureName, operations } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { reversedPeriod } from "../../http/validate.ts";
import { offsetsOf, startOfDay, type ZoneOffset } from "./zone-offsets.ts";

type PeriodQuery = z.output<(typeof operations.metrics.conversations)["query"]>;
type MetricsQuery = z.output<(typeof operations.metrics.get)["query"]>;

export type MetricsPeriod = {
  project: number;
  fromMs: number;
  toMs: number;
  bucketMs: number;
  agents: readonly string[] | undefined;
  /** Undefined: all conversations, even those whose version is unknown. */
  versions?: readonly string[] | undefined;
  /** Undefined: all conversations, even those whose channel is unknown. */
  channels?: readonly Channel[] | undefined;
  /** Default: the points combine all versions. */
  byVersion?: boolean | undefined;
  /** Default: the points combine all channels. */
  byChannel?: boolean | undefined;
  source: "production" | "simulation" | undefined;
  zone?: string;
  /** Without offsets, days start in UTC. */
  offsets?: readonly ZoneOffset[];
};

export type MetricsRequest = MetricsPeriod & { measures: MeasureName[] | undefined };

export const HOUR_MS = 3_600_000;
const BUCKET_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };
const DEFAULT_MS = 7 * 24 * HOUR_MS;

export function decidePeriod(project: number, query: PeriodQuery, nowMs: number): MetricsPeriod {
  const bucketMs = BUCKET_MS[query.bucket ?? "hour"];
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const wantedMs = query.from === undefined ? Math.max(0, toMs - DEFAULT_MS) : Date.parse(query.from);
  const zone = query.zone ?? "UTC";
  if (wantedMs >= toMs) throw reversedPeriod("`from` must be before `to`.");
  if (Math.ceil((toMs - wantedMs) / bucketMs) > LIMITS.metricBuckets) throw tooManyBuckets();
  const isLocal = query.bucket === "day" && zone !== "UTC";
  const offsets = isLocal ? offsetsOf(zone, wantedMs, toMs) : undefined;
  const fromMs = offsets ? startOfDay(offsets, wantedMs) : Math.floor(wantedMs / bucketMs) * bucketMs;
  if (Math.ceil((toMs - fromMs) / bucketMs) > LIMITS.metricBuckets) throw tooManyBuckets();
  return {
    project,
    fromMs,
    toMs,
    bucketMs,
    agents: query.agent,
    versions: query.agentVersion,
    channels: query.channel,
    byVersion: query.byVersion,
    byChannel: query.byChannel,
    source: query.source,
    zone,
    ...(offsets && { offsets }),
  };
}

const tooManyBuckets = () =>
  new AppError(
    "unprocessable",
    `The answer would have more than ${LIMITS.metricBuckets} buckets. Request a shorter time range or \`bucket=day\`.`,
  );

export function decideMetrics(project: number, { measure, ...query }: MetricsQuery, nowMs: number): MetricsRequest {
  const measures = measure?.split(",").map((name) => name.trim() as MeasureName);
  return { ...decidePeriod(project, query, nowMs), measures };
}

export const tooManyPoints = () =>
  new AppError(
    "unprocessable",
    `The answer would have more than ${LIMITS.metricPoints} points. Name measures or an agent, or request \`bucket=day\`.`,
  );

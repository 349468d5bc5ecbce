import type { MeasureName, operations } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import { reversedPeriod } from "../http/validate.ts";

type MetricsQuery = z.output<(typeof operations.metrics.get)["query"]>;

export type MetricsRequest = {
  project: number;
  fromMs: number;
  toMs: number;
  bucketMs: number;
  measures: MeasureName[] | undefined;
  agent: string | undefined;
  source: "production" | "simulation" | undefined;
};

export const HOUR_MS = 3_600_000;
const BUCKET_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };
const DEFAULT_MS = 7 * 24 * HOUR_MS;

/** Returns the request for metrics in whole buckets; refuses an empty time range and too many buckets. */
export function decideMetrics(project: number, query: MetricsQuery, nowMs: number): MetricsRequest {
  const bucketMs = BUCKET_MS[query.bucket ?? "hour"];
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const wantedMs = query.from === undefined ? Math.max(0, toMs - DEFAULT_MS) : Date.parse(query.from);
  const fromMs = Math.floor(wantedMs / bucketMs) * bucketMs;
  if (wantedMs >= toMs) throw reversedPeriod("`from` must be before `to`.");
  if (Math.ceil((toMs - fromMs) / bucketMs) > LIMITS.metricBuckets) {
    throw new AppError(
      "unprocessable",
      `The answer would have more than ${LIMITS.metricBuckets} buckets. Request a shorter time range or \`bucket=day\`.`,
    );
  }
  const measures = query.measure?.split(",").map((name) => name.trim() as MeasureName);
  return { project, fromMs, toMs, bucketMs, measures, agent: query.agent, source: query.source };
}

export const tooManyPoints = () =>
  new AppError(
    "unprocessable",
    `The answer would have more than ${LIMITS.metricPoints} points. Name measures or an agent, or request \`bucket=day\`.`,
  );

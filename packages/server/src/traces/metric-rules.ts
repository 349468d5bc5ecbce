import { LIMITS, type MeasureName, type operations } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";

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

export function decideMetrics(project: number, query: MetricsQuery, nowMs: number): MetricsRequest {
  const bucketMs = BUCKET_MS[query.bucket ?? "hour"];
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const wantedMs = query.from === undefined ? Math.max(0, toMs - DEFAULT_MS) : Date.parse(query.from);
  const fromMs = Math.floor(wantedMs / bucketMs) * bucketMs;
  if (wantedMs >= toMs) throw new AppError("unprocessable", "Let `from` be before `to`.");
  if (Math.ceil((toMs - fromMs) / bucketMs) > LIMITS.metricBuckets) {
    throw new AppError(
      "unprocessable",
      `Ask for a shorter time or \`bucket=day\`: at most ${LIMITS.metricBuckets} buckets are answered.`,
    );
  }
  const measures = query.measure?.split(",").map((name) => name.trim() as MeasureName);
  return { project, fromMs, toMs, bucketMs, measures, agent: query.agent, source: query.source };
}

export const tooManyPoints = () =>
  new AppError(
    "unprocessable",
    `Name measures or an agent, or ask for \`bucket=day\`: at most ${LIMITS.metricPoints} points are answered.`,
  );

import type { RequestListener } from "node:http";
import type { Middleware } from "koa";
import { collectDefaultMetrics, Registry } from "prom-client";
import { createCounts } from "../../base/counts.ts";
import type { Log } from "../../base/log/log.ts";
import type { ObserveRequest } from "../../http/answer-errors.ts";
import { createCollected } from "./collected.ts";
import { defineRequestMetrics } from "./request-metrics.ts";
import { createMetricsListener, createMetricsPage } from "./serve.ts";
import { defineServiceMetrics } from "./service-metrics.ts";
import type { Watched } from "./watched.ts";

/** Time limit to read one number. Prometheus waits 10 seconds for a whole scrape. */
const READ_MS = 2_000;

/** Metrics that have a meaningless value shortly after each scrape: NaN, or three hundred years. */
const WITHOUT_VALUE = ["min", "mean", "stddev"].map((kind) => `nodejs_eventloop_lag_${kind}_seconds`);

export type Metrics = {
  observe: ObserveRequest;
  page: Middleware | undefined;
  handle: RequestListener;
};

export function openMetrics(watched: Watched, log: Log, token: string | undefined): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of WITHOUT_VALUE) registry.removeSingleMetric(name);
  const failures = createCounts<string>();
  const collected = createCollected(registry, READ_MS, (metric, error) => {
    if (!failures.all().has(metric)) log.warn({ metric, err: error }, "a number of the metrics could not be read");
    failures.add(metric);
  });
  const observe = defineRequestMetrics(registry);
  defineServiceMetrics(collected, watched);
  collected.counter(
    "svc_metrics_unread_total",
    "Numbers that an earlier scrape lacked because they could not be read in time, by metric.",
    ["metric"],
    () => [...failures.all()].map(([metric, count]) => [{ metric }, count]),
  );

  let scraping: Promise<string> | undefined;
  // Concurrent scrapes share one read, so that they cost no more than a single scrape.
  const text = () => (scraping ??= registry.metrics().finally(() => (scraping = undefined)));
  const page = createMetricsPage({ contentType: registry.contentType, text }, token);
  return { observe, page: token === undefined ? undefined : page, handle: createMetricsListener(page, log) };
}

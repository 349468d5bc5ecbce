import { allOperations } from "@svc/contract";
import { Counter, Histogram, type Registry } from "prom-client";
import type { ObserveRequest } from "../../http/answer-errors.ts";

const BUCKETS_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30];
/** Label for requests of pages, documents and unknown paths, and for unknown methods. */
const OTHER = "other";
const INGEST = "traces.ingest";
const METHODS = new Set<string>(["HEAD", ...allOperations.map(({ operation }) => operation.method)]);

/** Defines the metrics of requests. The values of labels are names from the API, never parts of a request. */
export function defineRequestMetrics(registry: Registry): ObserveRequest {
  const registers = [registry];
  const requests = new Counter({
    name: "svc_http_requests_total",
    help: "Answered requests by operation of the interface, method and class of the status; `other` is any path without an operation.",
    labelNames: ["operation", "method", "status_class"],
    registers,
  });
  const durations = new Histogram({
    name: "svc_http_request_duration_seconds",
    help: "Time from a request's headers until its answer was ready to be sent; some operations wait on purpose.",
    labelNames: ["operation"],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: "svc_http_refusals_total",
    help: "Refused requests by the error code of the answer.",
    labelNames: ["code"],
    registers,
  });
  const refusedBodies = new Counter({
    name: "svc_ingest_refused_bodies_total",
    help: "Bodies of spans that were refused, by the error code of the answer.",
    labelNames: ["reason"],
    registers,
  });

  return ({ operation = OTHER, method, status, seconds, refusal }) => {
    requests.inc({
      operation,
      method: METHODS.has(method) ? method : OTHER,
      status_class: `${Math.floor(status / 100)}xx`,
    });
    durations.observe({ operation }, seconds);
    if (refusal === undefined) return;
    refusals.inc({ code: refusal });
    if (operation === INGEST) refusedBodies.inc({ reason: refusal });
  };
}

import type { IncomingHttpHeaders } from "node:http";

const RETRY_AFTER_SECONDS_MAX = 3600;
const NUMBER = /^\d+(\.\d+)?$/;
/** Matches the three forms of an HTTP date. The asctime form names no time zone and means UTC. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/**
 * Returns the wait that another host asks for, in whole seconds from 1 to 3600. Reads `retry-after-ms`, or `retry-after` as seconds or as
 * a date. Returns undefined without a valid header.
 */
export function retryAfterSecondsOf(headers: IncomingHttpHeaders, nowMs = Date.now()): number | undefined {
  const ms = headers["retry-after-ms"];
  if (typeof ms === "string" && NUMBER.test(ms.trim())) return bounded(Number(ms) / 1000);
  const text = headers["retry-after"]?.trim() ?? "";
  if (NUMBER.test(text)) return bounded(Number(text));
  const dateMs = HTTP_DATE.test(text) ? Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) : NaN;
  return Number.isNaN(dateMs) ? undefined : bounded((dateMs - nowMs) / 1000);
}

const bounded = (seconds: number): number => Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));

import type { IncomingHttpHeaders } from "node:http";

const RETRY_AFTER_SECONDS_MAX = 3600;
const NUMBER = /^\d+(\.\d+)?$/;
/** All three forms; the oldest leaves out that it is UTC. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/**
 * How long another host asks us to wait, in whole seconds from 1 to an hour: told as seconds, as milliseconds in a header
 * of their own, or as a date. Undefined when it is not told, or makes no sense.
 */
export function retryAfterSecondsOf(headers: IncomingHttpHeaders, nowMs = Date.now()): number | undefined {
  const ms = headers["retry-after-ms"];
  if (typeof ms === "string" && NUMBER.test(ms.trim())) return bounded(Number(ms) / 1000);
  const told = headers["retry-after"]?.trim() ?? "";
  if (NUMBER.test(told)) return bounded(Number(told));
  const dateMs = HTTP_DATE.test(told) ? Date.parse(told.endsWith("GMT") ? told : `${told} GMT`) : NaN;
  return Number.isNaN(dateMs) ? undefined : bounded((dateMs - nowMs) / 1000);
}

const bounded = (seconds: number): number => Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));

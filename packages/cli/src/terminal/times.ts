import { usage } from "../refusal.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function ago(time: string, nowMs = Date.now()): string {
  const ms = nowMs - Date.parse(time);
  if (ms < -MINUTE || ms > 30 * DAY) return moment(time).slice(0, 10);
  if (ms < MINUTE) return "just now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${Math.floor(ms / DAY)} d ago`;
}

export const moment = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

export function duration(ms: number | null): string {
  if (ms === null) return "?";
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / SECOND);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h} h ${two(m)} min` : `${m} min ${two(s)} s`;
}

/** Example: `1:04.2`. */
export function clock(ms: number): string {
  const tenths = Math.floor(Math.abs(ms) / 100);
  return `${ms < 0 ? "-" : ""}${Math.floor(tenths / 600)}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

const two = (number: number) => String(number).padStart(2, "0");

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY };

/** Parses a time in ISO 8601, or a time ago (`30m`, `24h`, `7d`). */
export const instant = (text: string, nowMs = Date.now()): string => timeOf(text, nowMs, -1);

/** Parses a time in ISO 8601, or a time from now (`30m`, `24h`, `90d`). */
export const laterInstant = (text: string, nowMs = Date.now()): string => timeOf(text, nowMs, 1);

function timeOf(text: string, nowMs: number, direction: 1 | -1): string {
  const span = /^(\d{1,5})([mhd])$/.exec(text);
  const ms = span
    ? nowMs + direction * Number(span[1]) * UNITS[span[2]!]!
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (Number.isNaN(ms))
    throw usage(
      `"${text}" is not a time. Write 30m, 24h or 7d for a time ${direction < 0 ? "ago" : "from now"}, or a date such as 2026-11-21T09:30:00Z.`,
    );
  return new Date(ms).toISOString();
}

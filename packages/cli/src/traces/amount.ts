import type { Unit } from "@svc/contract";
import { duration } from "../terminal/times.ts";

export function amount(value: number | null, unit: Unit): string {
  if (value === null) return "?";
  if (unit === "ms") return duration(value);
  if (unit === "ratio") return `${Math.round(value * 100)} %`;
  if (unit === "dBFS") return `${value.toFixed(1)} dBFS`;
  return unit !== "count" || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(2);
}

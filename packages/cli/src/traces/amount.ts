import type { Unit } from "@svc/contract";
import { duration } from "../times.ts";

/** A measure's value with its unit; ? when it is not known. */
export function amount(value: number | null, unit: Unit): string {
  if (value === null) return "?";
  if (unit === "ms") return duration(value);
  if (unit === "ratio") return `${Math.round(value * 100)} %`;
  const number = Number.isInteger(value) ? String(value) : value.toFixed(2);
  return unit === "count" ? number : `${number} ${unit}`;
}

import type { Wire } from "./calls.ts";

type Filter = { type?: string; op?: string; value?: unknown };

const ORDERS: Record<string, (a: number, b: number) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

const TEXTS: Record<string, (a: string, b: string) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  sw: (a, b) => a.startsWith(b),
  ew: (a, b) => a.endsWith(b),
  co: (a, b) => a.includes(b),
};

/** Returns whether a value passes one filter; the type is optional, as in the examples of the platform's documentation. */
export function fits(value: unknown, { type, op = "eq", value: wanted }: Filter): boolean {
  if (op === "bt") {
    const [from, to] = wanted as [number, number];
    return typeof value === "number" && value >= from && value <= to;
  }
  if (op === "in") return (wanted as unknown[]).includes(value);
  if (op === "pr" || op === "np") return (value !== undefined && value !== null) === (op === "pr");
  if (type === "number" || typeof wanted === "number")
    return typeof value === "number" && ORDERS[op]!(value, wanted as number);
  if (typeof wanted === "string") return typeof value === "string" && TEXTS[op]!(value, wanted);
  return value === wanted;
}

/** Returns whether a record passes every filter; the filter `agent` lists agents, with or without versions. */
export function fitsAll(record: Wire, criteria: Record<string, unknown>): boolean {
  return Object.entries(criteria).every(([name, filter]) => {
    if (name !== "agent") return fits(record[name], filter as Filter);
    const agents = filter as { agent_id: string; version?: number[] }[];
    return agents.some(
      ({ agent_id, version = [] }) =>
        record["agent_id"] === agent_id &&
        (version.length === 0 || version.includes(record["agent_version"] as number)),
    );
  });
}

/** Returns whether a record passes the older filters: lists of allowed values, and thresholds. */
export function fitsOld(record: Wire, criteria: Record<string, unknown>): boolean {
  return Object.entries(criteria).every(([name, filter]) => {
    if (Array.isArray(filter)) return filter.includes(record[name]);
    const { lower_threshold: low = -Infinity, upper_threshold: high = Infinity } = filter as Record<string, number>;
    return typeof record[name] === "number" && record[name] >= low && record[name] <= high;
  });
}

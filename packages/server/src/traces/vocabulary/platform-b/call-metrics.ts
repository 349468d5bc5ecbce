import type { SpanNode } from "../../span-tree.ts";
import { numberOf, recordOf, structureOf, textOf } from "../attribute-values.ts";
import { milliseconds } from "./stated-times.ts";

/** The metrics that a request carries as JSON: Python in snake_case and seconds, JavaScript in camelCase and milliseconds. */
export type CallMetrics = {
  timeMs(inSeconds: string, inMilliseconds: string): number | null;
  /** The first of the names that has a whole number. */
  count(...names: string[]): number | null;
  model(): string | null;
  provider(): string | null;
};

const LARGEST_COUNT = 1e12;

/** Parsed when it is first asked for: often the attributes beside it say it all. */
export function metricsOf({ span }: SpanNode, key: string): CallMetrics {
  let parsed: Record<string, unknown> | undefined;
  const metrics = () => (parsed ??= recordOf(structureOf(span.attributes[key])));
  const metadata = () => recordOf(metrics()["metadata"]);
  return {
    timeMs: (inSeconds, inMilliseconds) =>
      milliseconds(metrics()[inMilliseconds], "milliseconds") ?? milliseconds(metrics()[inSeconds], "seconds"),
    count: (...names) => countOf(names.map((name) => metrics()[name])),
    model: () => nameOf(metadata()["model_name"]) ?? nameOf(metadata()["modelName"]),
    provider: () => nameOf(metadata()["model_provider"]) ?? nameOf(metadata()["modelProvider"]),
  };
}

/** The first that is a whole number. */
export function countOf(values: readonly unknown[]): number | null {
  for (const value of values) {
    const count = numberOf(value);
    if (count !== null && Number.isInteger(count) && count >= 0 && count <= LARGEST_COUNT) return count;
  }
  return null;
}

/** `unknown` is what the platform writes for a model or provider that does not name itself. */
export function nameOf(value: unknown): string | null {
  const name = textOf(value);
  return name === "unknown" ? null : name;
}

import type { SpanNode } from "../../conversation/span-tree.ts";
import { countOf, flagOf, milliseconds, nameOf, recordOf, structureOf } from "../attribute-values.ts";

/**
 * The metrics of a request, which LiveKit Agents sends as JSON: with snake_case and seconds from Python, with camelCase and milliseconds
 * from JavaScript.
 */
export type CallMetrics = {
  timeMs(inSeconds: string, inMilliseconds: string): number | null;
  count(...names: string[]): number | null;
  flag(name: string): boolean | null;
  model(): string | null;
  provider(): string | null;
};

/** Parses the JSON only on first use, because other attributes often have the values. */
export function metricsOf({ span }: SpanNode, key: string): CallMetrics {
  let parsed: Record<string, unknown> | undefined;
  const metrics = () => (parsed ??= recordOf(structureOf(span.attributes[key])));
  const metadata = () => recordOf(metrics()["metadata"]);
  return {
    timeMs: (inSeconds, inMilliseconds) =>
      milliseconds(metrics()[inMilliseconds], "milliseconds") ?? milliseconds(metrics()[inSeconds], "seconds"),
    count: (...names) => countOf(names.map((name) => metrics()[name])),
    flag: (name) => flagOf(metrics()[name]),
    model: () => nameOf(metadata()["model_name"]) ?? nameOf(metadata()["modelName"]),
    provider: () => nameOf(metadata()["model_provider"]) ?? nameOf(metadata()["modelProvider"]),
  };
}

import type { SpanNode } from "../../span-tree.ts";
import { countOf, milliseconds, nameOf, recordOf, structureOf } from "../attribute-values.ts";

/** The metrics that a request carries as JSON: Python in snake_case and seconds, JavaScript in camelCase and milliseconds. */
export type CallMetrics = {
  timeMs(inSeconds: string, inMilliseconds: string): number | null;
  /** The first of the names that has a whole number. */
  count(...names: string[]): number | null;
  model(): string | null;
  provider(): string | null;
};

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

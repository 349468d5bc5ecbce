import type { NamedOperation } from "@svc/contract";

type AllowedMethods = (path: string) => string[];

/**
 * A path without parameters, such as `/v1/traces/remap`, can also match the path of a resource, such as
 * `/v1/traces/{traceId}`. The methods of the resource then do not count, because no resource has such an id.
 */
export function createAllowedMethods(operations: readonly NamedOperation[]): AllowedMethods {
  const patterns = [...Map.groupBy(operations, ({ operation }) => operation.path)]
    .map(([path, ofPath]) => ({
      regex: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`, "i"),
      parameters: path.split("{").length - 1,
      isOfResource: ofPath.some(({ operation }) => operation.resource !== undefined),
      methods: ofPath.flatMap(({ operation: { method } }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    }))
    .sort((one, other) => one.parameters - other.parameters);
  return (path) => {
    const [exact, ...others] = patterns.filter(({ regex }) => regex.test(path));
    if (!exact) return [];
    return [exact, ...others.filter(({ isOfResource }) => !isOfResource)].flatMap(({ methods }) => methods).sort();
  };
}

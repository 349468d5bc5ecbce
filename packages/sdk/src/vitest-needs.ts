/** Members of Vitest's `package.json` that `vitestNeeds` reads. */
export type VitestManifest = { version: string; engines?: { node?: string } };

const OLDEST_VITEST = 2;

/**
 * Returns what the project must update before the matcher works; undefined when it works. On a Node that is too old, Vitest runs tests
 * but crashes when it prints a failure, for example with "Map.groupBy is not a function".
 *
 * @param manifest - the manifest of the installed Vitest.
 * @param node - the version of Node, such as `20.20.2`.
 */
export function vitestNeeds({ version, engines }: VitestManifest, node: string): string | undefined {
  if (Number.parseInt(version, 10) < OLDEST_VITEST)
    return `@svc/sdk/vitest needs Vitest ${OLDEST_VITEST} or newer, and this is Vitest ${version}: update it with \`npm install --save-dev vitest\`.`;
  const range = engines?.node ?? "";
  if (range === "" || range.split("||").some((part) => isIn(part.trim(), node))) return undefined;
  return `Vitest ${version} needs Node ${range}, and this is Node ${node}: use a newer Node, or Vitest 4, which runs on Node 20.`;
}

/** Returns whether a version is in a range of the form `^22.12.0` or `>=24.0.0`. Returns true for a range of any other form. */
function isIn(range: string, version: string): boolean {
  const { sign, lowest } = /^(?<sign>\^|>=)(?<lowest>\d+\.\d+\.\d+)$/.exec(range)?.groups ?? {};
  if (lowest === undefined) return true;
  const [low, at] = [lowest, version].map((text) => text.split(".").map(Number)) as [number[], number[]];
  if (sign === "^" && at[0] !== low[0]) return false;
  const differing = low.findIndex((number, index) => number !== at[index]);
  return differing === -1 || at[differing]! > low[differing]!;
}

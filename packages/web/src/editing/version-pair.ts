/** Two versions to compare. */
type VersionPair = { from: number; to: number };

/**
 * Returns the versions that the page compares: those of the address where they exist, else the newest with the one before it.
 * Undefined when there is only one version.
 */
export function pairOf(versions: readonly number[], from?: number, to?: number): VersionPair | undefined {
  const [newest, before] = versions;
  if (newest === undefined || before === undefined) return undefined;
  const existing = (version: number | undefined) => versions.find((one) => one === version);
  const end = existing(to) ?? newest;
  return { from: existing(from) ?? versions.find((one) => one < end) ?? before, to: end };
}

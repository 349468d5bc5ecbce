/** Returns the processor time of the work, which does not depend on other load, for specs that check growth. */
export async function cpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns the processor time that `work` uses. Unlike a duration, it does not depend on other processes of the machine. */
export async function cpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

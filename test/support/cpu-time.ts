/** Returns the processor time that `work` uses. Other processes on the machine do not change it, as they change a duration. */
export async function cpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

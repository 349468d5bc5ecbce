/** What the work costs this process, whatever else the machine does meanwhile: for specs that tell growth from its square. */
export async function cpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

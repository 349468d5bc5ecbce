const WAIT_MS = 15_000;
const PAUSE_MS = 100;

export async function waitFor<T>(ask: () => Promise<T | undefined | false>): Promise<T | undefined> {
  const endMs = performance.now() + WAIT_MS;
  while (performance.now() < endMs) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}

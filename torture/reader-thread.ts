// Reads conversations in a separate thread, so that the thread that measures times has nothing else to do.
import { parentPort, workerData } from "node:worker_threads";

export type ReaderTask = { url: string; key: string; traceIds: string[]; reads: number };
export type ReaderResult = { statuses: Record<string, number>; bytes: number; failures: string[] };

const { url, key, traceIds, reads } = workerData as ReaderTask;
const result: ReaderResult = { statuses: {}, bytes: 0, failures: [] };

async function read(at: number): Promise<void> {
  try {
    const response = await fetch(`${url}/v1/traces/${traceIds[at % traceIds.length]}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    for await (const chunk of response.body!) result.bytes += chunk.length;
    result.statuses[response.status] = (result.statuses[response.status] ?? 0) + 1;
  } catch (error) {
    result.failures.push((error as Error).message);
  }
}

await Promise.all(Array.from({ length: reads }, (_, at) => read(at)));
parentPort!.postMessage(result, []);

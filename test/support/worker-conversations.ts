import type { Trace } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { until } from "./until.ts";

/** Waits until the service has `spans` spans of a job, and returns the job's conversations. */
export async function conversationsOf(client: Client, job: string, spans: number): Promise<Trace[]> {
  const summaries = await until(`${spans} spans of ${job}`, async () => {
    const { traces } = await client.traces.list();
    const own = traces.filter(({ conversationId }) => conversationId === job);
    return own.reduce((sum, { spanCount }) => sum + spanCount, 0) >= spans && own;
  });
  return Promise.all(summaries.map(({ traceId }) => client.traces.get({ traceId })));
}

/** Returns `trace id/span id` for every span. */
export const idsOf = (traces: Trace[]): string[] =>
  traces.flatMap(({ traceId, spans }) => spans.map(({ spanId }) => `${traceId}/${spanId}`));

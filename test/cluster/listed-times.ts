import type { Client } from "@svc/sdk";

const PAGE = 200;

/** Returns, for each conversation, how often the list contains it. */
export async function listedTimes(client: Client): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let pageToken: string | undefined; ;) {
    const page = await client.traces.list({ pageSize: PAGE, ...(pageToken !== undefined && { pageToken }) });
    for (const { traceId } of page.traces) times.set(traceId, (times.get(traceId) ?? 0) + 1);
    if (page.nextPageToken === null) return times;
    pageToken = page.nextPageToken;
  }
}

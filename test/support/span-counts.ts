import { expect } from "vitest";
import type { Ingest } from "./ingest.ts";

/** Returns the number of spans of each trace, after checking it against the spans themselves. */
export async function spanCounts(ingest: Ingest, project = 1): Promise<Record<string, number>> {
  await ingest.intake.drain();
  const counts: Record<string, number> = {};
  for (const { traceId, spans: sum } of await ingest.traces(project)) {
    const found = await ingest.store.reader.find(project, traceId);
    expect(new Set(found!.spans.map((span) => span.spanId)).size).toBe(sum);
    expect(found!.spans).toHaveLength(sum);
    counts[traceId] = sum;
  }
  return counts;
}

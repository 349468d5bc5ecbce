import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { openIntake } from "./intake.ts";
import { type OtherRecords, traceRoutes } from "./routes.ts";
import { openAnalytics } from "./store/analytics.ts";

/** Opens the trace store and the journal. The trace store locks the data folder, so that it opens before all others. */
export async function openTraces({ dataDir, retentionDays }: Config, log: Log) {
  const analytics = await openAnalytics({ dataDir, log, retentionDays });
  const intake = await openIntake({ dataDir, analytics, log });
  return {
    analytics,
    intake,
    routes: (records: OtherRecords) => traceRoutes(intake, analytics, records),
    async close(): Promise<void> {
      await intake.close();
      await analytics.close();
    },
  };
}

export type Traces = Awaited<ReturnType<typeof openTraces>>;

import type { Conditions } from "../conditions.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { createFindProjects } from "./find-projects.ts";
import { openIntake } from "./intake.ts";
import { type OtherRecords, traceRoutes } from "./routes.ts";
import { openTraceStore } from "./store/open.ts";

/** Opens the trace store and the journal. Open it before all other stores, because it locks the data directory. */
export async function openTraces({ dataDir, retentionDays }: Config, log: Log, conditions: Conditions) {
  const { reader, loader, close } = await openTraceStore({ dataDir, log, retentionDays });
  const intake = await openIntake({ dataDir, loader, log, conditions });
  return {
    reader,
    intake,
    /** Returns false once the trace store has failed or is closing. */
    reachable: loader.reachable,
    projectsOf: { trace: createFindProjects(reader) },
    routes: (records: OtherRecords) => traceRoutes(intake, reader, records),
    async close(): Promise<void> {
      await intake.close();
      await close();
    },
  };
}

export type Traces = Awaited<ReturnType<typeof openTraces>>;

import type { Ground } from "../ground.ts";
import type { Recordings } from "../voice/recordings/open.ts";
import type { Traces } from "../traces/open.ts";
import { createFetchRecording } from "./platform-a/fetch-recording.ts";
import { startMonitoring } from "./monitoring.ts";
import type { Pace } from "./platform-a/pace.ts";
import { monitoringRoutes } from "./routes.ts";

export function openMonitoring(
  { config, db, sealed, log, notices }: Ground,
  { reader, intake, deleted }: Traces,
  recordings: Recordings,
  pace?: Partial<Pace>,
) {
  const monitoring = startMonitoring({
    db,
    sealed,
    intake,
    lastSentMs: reader.lastSentMs,
    fetchRecording: createFetchRecording({
      recordings,
      isDeleted: deleted.isDeleted,
      log,
      privateAddresses: config.outboundPrivate ? "allow" : "refuse",
    }),
    log,
    notices,
    baseUrl: config.platformABaseUrl,
    pace,
  });
  return { ...monitoring, routes: monitoringRoutes(monitoring) };
}

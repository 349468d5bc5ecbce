import type { Ground } from "../ground.ts";
import type { Traces } from "../traces/open.ts";
import { startMonitoring } from "./monitoring.ts";
import type { Pace } from "./pace.ts";
import { monitoringRoutes } from "./routes.ts";

export function openMonitoring({ config, db, sealed, log }: Ground, { reader, intake }: Traces, pace?: Partial<Pace>) {
  const monitoring = startMonitoring({
    db,
    sealed,
    intake,
    lastSentMs: reader.lastSentMs,
    log,
    baseUrl: config.platformABaseUrl,
    pace,
  });
  return { ...monitoring, routes: monitoringRoutes(monitoring) };
}

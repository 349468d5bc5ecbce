import type { ServiceContext } from "../../context.ts";
import { openMediaPool, POOL_LIMITS, startMediaProcess } from "./media/pool.ts";

export type Calls = ReturnType<typeof openCalls>;

export function openCalls({ log, config }: ServiceContext) {
  const pool = openMediaPool(log, POOL_LIMITS, () => startMediaProcess(config.authoritiesFile));
  return { place: pool.place, underWay: pool.underWay, counts: pool.counts, close: pool.close };
}

import type { ServiceContext } from "../../context.ts";
import { openMediaPool } from "./media/pool.ts";

export type Calls = ReturnType<typeof openCalls>;

export function openCalls({ log }: ServiceContext) {
  const pool = openMediaPool(log);
  return { place: pool.place, underWay: pool.underWay, counts: pool.counts, close: pool.close };
}

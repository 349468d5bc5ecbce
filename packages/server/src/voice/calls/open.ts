import type { Ground } from "../../ground.ts";
import { openMediaPool } from "./media/pool.ts";

export type Calls = ReturnType<typeof openCalls>;

/** Opens the calls with sound; the first call starts a media process. */
export function openCalls({ log }: Ground) {
  const pool = openMediaPool(log);
  return { place: pool.place, close: pool.close };
}

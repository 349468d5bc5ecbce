import { every } from "../../../base/async/every.ts";
import type { ClickHouse } from "./client.ts";

const CHECK_MS = 2_000;

/** Watches whether ClickHouse answers; `reachable` returns what the last check found. */
export function watchReachability(clickHouse: Pick<ClickHouse, "answers">) {
  const closing = new AbortController();
  let answers = true;
  const check = async () => {
    answers = await clickHouse.answers();
  };
  every(CHECK_MS, check, closing.signal, () => (answers = false));
  return { reachable: () => answers && !closing.signal.aborted, close: () => closing.abort() };
}

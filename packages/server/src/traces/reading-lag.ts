import type { Conditions } from "../base/conditions.ts";
import { every } from "../base/async/every.ts";
import type { Log } from "../base/log/log.ts";
import type { SpanLoader } from "./store/trace-store.ts";

const CHECK_MS = 5_000;
const LATE_MS = 60_000;
const CODE = "readings_late";

export function watchReadingLag(
  loader: Pick<SpanLoader, "readingLagMs">,
  conditions: Conditions,
  log: Log,
  signal: AbortSignal,
  checkMs = CHECK_MS,
): void {
  let isLate = false;

  function check(): void {
    const lagMs = loader.readingLagMs();
    if (lagMs < LATE_MS) {
      if (isLate) conditions.clear(CODE);
      isLate = false;
      return;
    }
    conditions.report({
      code: CODE,
      needsAction: false,
      message: `Turns and measures of conversations are derived ${Math.round(lagMs / 1000)} seconds late. Until then, lists, search and metrics lack them. No span is lost.`,
      remedy:
        "Wait until fewer spans arrive, or give the service a faster machine. New conversations and those that a client requests come first.",
      count: isLate ? 0 : 1,
    });
    isLate = true;
  }

  every(checkMs, check, signal, (error) =>
    log.error({ err: error }, "the service could not check how late it derives conversations"),
  );
}

import { DESTINATION_KINDS } from "@svc/contract";
import type { Collected } from "./collected.ts";
import type { Watched } from "./watched.ts";

const RESULTS = ["sent", "failed", "given_up"] as const;

/**
 * Defines the metrics of deliveries. Each kind of destination has its series from the start, so that Prometheus sees the first increase.
 */
export function defineDeliveries({ gauge, counter }: Collected, { notifications }: Watched): void {
  const { counts, countWaiting } = notifications;
  counter(
    "svc_deliveries_total",
    "Events by the result of an attempt to send them: sent, failed (there is another attempt) or given_up (there is none), by kind of destination.",
    ["kind", "result"],
    () =>
      DESTINATION_KINDS.flatMap((kind) =>
        RESULTS.map((result) => [{ kind, result }, counts[result].all().get(kind) ?? 0] as const),
      ),
  );

  let reading: ReturnType<typeof countWaiting> | undefined;
  // Both metrics of one scrape share one query.
  const read = () => (reading ??= countWaiting().finally(() => (reading = undefined)));
  const ofKind = async (valueOf: (waiting: Awaited<ReturnType<typeof countWaiting>>[number]) => number) => {
    const rows = await read();
    return DESTINATION_KINDS.map((kind) => {
      const row = rows.find((each) => each.kind === kind);
      return [{ kind }, row === undefined ? 0 : valueOf(row)] as const;
    });
  };
  gauge(
    "svc_deliveries_waiting",
    "Events of all projects that wait to be sent, by kind of destination; without destinations that a person paused.",
    ["kind"],
    () => ofKind(({ count }) => count),
  );
  gauge(
    "svc_deliveries_oldest_waiting_seconds",
    "How long the oldest of these events waits; a digest by mail waits up to a quarter of an hour on purpose.",
    ["kind"],
    () => ofKind(({ oldestAt }) => (Date.now() - Date.parse(oldestAt)) / 1000),
  );
}

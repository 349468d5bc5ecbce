import type { Schema } from "../../stores/schema.ts";
import type { Pace } from "./pace.ts";

type ScanKind = NonNullable<Schema["monitored_agents"]["scan_kind"]>;

/**
 * The window of a scan. The scan lists the calls that started in it. When `endedFromMs` is not null, it lists only calls that ended at that
 * time or later.
 */
export type ScanWindow = { kind: ScanKind; fromMs: number; toMs: number; endedFromMs: number | null };

/** End of the last scan's window for each kind of scan. Null before the first scan of the whole window has ended. */
export type ScanProgress = Pick<Schema["monitored_agents"], "polled_to_ms" | "late_to_ms" | "reconciled_to_ms">;

export function scanDue(progress: ScanProgress, nowMs: number, pace: Pace): ScanWindow | undefined {
  const { polled_to_ms: polled, late_to_ms: late, reconciled_to_ms: reconciled } = progress;
  const oldestMs = nowMs - pace.windowMs;
  const whole = { fromMs: oldestMs, toMs: nowMs, endedFromMs: null };
  if (polled === null || late === null || reconciled === null) return { kind: "first", ...whole };
  if (nowMs >= reconciled + pace.reconcileMs) return { kind: "reconciliation", ...whole };
  // A poll lists calls by their start. It therefore misses a long call that started before the poll's window and ended later. A late scan
  // finds this call.
  if (nowMs >= late + pace.lateMs) return { kind: "late", ...whole, endedFromMs: late - pace.overlapMs };
  if (nowMs >= polled + pace.pollMs)
    return { kind: "poll", ...whole, fromMs: Math.max(oldestMs, polled - pace.overlapMs) };
  return undefined;
}

export function nextScanMs({ polled_to_ms, late_to_ms, reconciled_to_ms }: ScanProgress, pace: Pace): number {
  if (polled_to_ms === null || late_to_ms === null || reconciled_to_ms === null) return 0;
  return Math.min(polled_to_ms + pace.pollMs, late_to_ms + pace.lateMs, reconciled_to_ms + pace.reconcileMs);
}

/** Returns the progress after a scan. A reconciling scan covers the whole window, so it also counts as a poll and as a late scan. */
export function progressAfter({ kind, toMs }: Pick<ScanWindow, "kind" | "toMs">, before: ScanProgress): ScanProgress {
  if (kind === "poll") return { ...before, polled_to_ms: toMs };
  if (kind === "late") return { ...before, late_to_ms: toMs };
  return { polled_to_ms: toMs, late_to_ms: toMs, reconciled_to_ms: toMs };
}

/**
 * Returns the time up to which a scan has read calls, after one more page of the platform's list. `reachedMs` is this time before the
 * page. A start after `toMs`, the end of the scanned period, is wrong and is ignored.
 */
export function reachedAfter(reachedMs: number, startsMs: readonly (number | undefined)[], toMs: number): number {
  const plausible = startsMs.filter((ms) => ms !== undefined && ms > reachedMs && ms <= toMs) as number[];
  return Math.floor(Math.max(reachedMs, ...plausible));
}

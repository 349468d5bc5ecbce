import type { Schema } from "../stores/schema.ts";
import type { Pace } from "./pace.ts";

type ScanKind = NonNullable<Schema["monitored_agents"]["scan_kind"]>;

/** Calls to list: those that started in a window and, when `endedFromMs` is given, ended after it. */
export type ScanWindow = { kind: ScanKind; fromMs: number; toMs: number; endedFromMs: number | null };

/** Up to when the last scan of each kind looked; null before the first 30 days are in. */
export type Progress = Pick<Schema["monitored_agents"], "polled_to_ms" | "late_to_ms" | "reconciled_to_ms">;

/** The scan that is due now, with its window fixed; undefined while none is. */
export function scanDue(progress: Progress, nowMs: number, pace: Pace): ScanWindow | undefined {
  const { polled_to_ms: polled, late_to_ms: late, reconciled_to_ms: reconciled } = progress;
  const oldestMs = nowMs - pace.windowMs;
  const whole = { fromMs: oldestMs, toMs: nowMs, endedFromMs: null };
  if (polled === null || late === null || reconciled === null) return { kind: "first", ...whole };
  if (nowMs >= reconciled + pace.reconcileMs) return { kind: "reconciliation", ...whole };
  // A poll lists by start and would not see a long call that began before its overlap and has ended since.
  if (nowMs >= late + pace.lateMs) return { kind: "late", ...whole, endedFromMs: late - pace.overlapMs };
  if (nowMs >= polled + pace.pollMs)
    return { kind: "poll", ...whole, fromMs: Math.max(oldestMs, polled - pace.overlapMs) };
  return undefined;
}

export function nextScanMs({ polled_to_ms, late_to_ms, reconciled_to_ms }: Progress, pace: Pace): number {
  if (polled_to_ms === null || late_to_ms === null || reconciled_to_ms === null) return 0;
  return Math.min(polled_to_ms + pace.pollMs, late_to_ms + pace.lateMs, reconciled_to_ms + pace.reconcileMs);
}

/** What a scan that has come to its end has seen. */
export function progressAfter({ kind, toMs }: Pick<ScanWindow, "kind" | "toMs">, before: Progress): Progress {
  if (kind === "poll") return { ...before, polled_to_ms: toMs };
  if (kind === "late") return { ...before, late_to_ms: toMs };
  return { polled_to_ms: toMs, late_to_ms: toMs, reconciled_to_ms: toMs };
}

/** How far a scan has come, by the starts that a page tells; those that make no sense do not count. */
export function reachedAfter(reachedMs: number, startsMs: readonly (number | undefined)[], toMs: number): number {
  const sensible = startsMs.filter((ms) => ms !== undefined && ms > reachedMs && ms <= toMs) as number[];
  return Math.floor(Math.max(reachedMs, ...sensible));
}

import type { Turn } from "@svc/contract";
import type { TimelineModel } from "./model.ts";
import type { Bar } from "./turn-bars.ts";
import type { BarKind } from "./span-rows.ts";

/** One bar of the ruler's lanes. */
export type LaneBar = Bar & { lane: "caller" | "agent" | "third_party" | "tool" | "silence" };

/** Bars that are nearer than this share of the range are one bar, because the eye does not tell them apart. */
const NEAR = 0.002;

/** Returns the bars of the whole call for the ruler: who speaks when, the tool calls, and the silences. */
export function laneBars(model: TimelineModel, lengthMs: number): LaneBar[] {
  const near = lengthMs * NEAR;
  const bars: LaneBar[] = [];
  for (const row of model.rows) {
    if (row.type === "silence") bars.push({ ...row.silence, kind: "silence", label: "Silence", lane: "silence" });
    if (row.type === "loose") {
      const kind: BarKind = row.period.role === "user" ? "caller" : row.period.role;
      bars.push({
        fromMs: row.fromMs,
        untilMs: row.untilMs,
        kind,
        label: "",
        lane: laneOf(row.period.role),
      });
    }
    if (row.type !== "turn") continue;
    for (const bar of row.voice) bars.push({ ...bar, lane: laneOf(row.turn.role) });
    for (const bar of row.calls)
      if (bar.kind === "tool" || (bar.kind === "failed" && bar.label.startsWith("Tool")))
        bars.push({ ...bar, lane: "tool" });
  }
  return merged(bars, near);
}

/** Returns whether someone besides the caller and the agent speaks. */
export const hasThirdParty = ({ rows }: TimelineModel): boolean =>
  rows.some(
    (row) =>
      (row.type === "turn" && row.turn.role === "third_party") ||
      (row.type === "loose" && row.period.role === "third_party"),
  );

const laneOf = (role: Turn["role"]): LaneBar["lane"] => (role === "user" ? "caller" : role);

function merged(bars: readonly LaneBar[], near: number): LaneBar[] {
  const last = new Map<string, LaneBar>();
  const shown: LaneBar[] = [];
  for (const bar of bars.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const key = `${bar.lane} ${bar.kind}`;
    const before = last.get(key);
    if (before !== undefined && bar.lane !== "silence" && bar.fromMs - before.untilMs < near) {
      before.untilMs = Math.max(before.untilMs, bar.untilMs);
      continue;
    }
    const copy = { ...bar };
    last.set(key, copy);
    shown.push(copy);
  }
  return shown;
}

import type { Turn } from "@svc/contract";
import { memo, type ReactNode, useMemo } from "react";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { percent, type Ticks } from "./axis.ts";
import { barClass, onAxis } from "./bars.tsx";
import { useTimeline } from "./context.tsx";
import type { Bar } from "./intervals.ts";
import type { TimelineModel } from "./model.ts";
import type { BarKind } from "./spans.ts";
import barStyles from "./bars.module.css";
import styles from "./timeline.module.css";

const TWO_LANES: LanePlaces = {
  caller: { top: 4 },
  agent: { top: 15 },
  third_party: { top: 26 },
  tool: { top: 30, height: 5 },
  silence: { top: 8, height: 14 },
};

const THREE_LANES: LanePlaces = {
  caller: { top: 4, height: 9 },
  agent: { top: 14, height: 9 },
  third_party: { top: 24, height: 9 },
  tool: { top: 34, height: 4 },
  silence: { top: 11, height: 14 },
};

/** Bars that are nearer than this share of the range are one bar, because the eye does not tell them apart. */
const NEAR = 0.002;

type LanePlaces = Record<LaneBar["lane"], { top: number; height?: number }>;

type RulerProps = {
  ticks: Ticks;
  lengthMs: number;
  isZoomed: boolean;
  /** The choice of the axis. */
  choice: ReactNode;
  onWhole: () => void;
};

/** The sticky head of the timeline: the choice of the axis, who speaks when in the whole call, and the times. */
export function Ruler({ ticks, lengthMs, isZoomed, choice, onWhole }: RulerProps) {
  const { model, axis } = useTimeline();
  const isSimple = model.isPlain || axis === "answer";
  return (
    <div role="row" className={classes(styles["row"], styles["ruler"], model.isPlain && styles["simple"])}>
      <div role="columnheader" className={styles["said"]}>
        <span className={styles["choice"]}>{choice}</span>
        {isZoomed && (
          <Button look="quiet" small onClick={onWhole}>
            Whole call
          </Button>
        )}
        {!isSimple && !isZoomed && (
          <span className={styles["lanes"]} aria-hidden>
            <span style={{ color: "var(--caller)" }}>Caller</span>
            <span style={{ color: "var(--agent)" }}>Agent</span>
            {hasThirdParty(model) && <span style={{ color: "var(--series-3)" }}>Third party</span>}
          </span>
        )}
      </div>
      <div role="columnheader" aria-label="Time" className={styles["time"]}>
        <div data-plot className={styles["plot"]}>
          {!isSimple && <Lanes model={model} lengthMs={lengthMs} />}
          {axis === "answer" && <span className={styles["zero"]} />}
          {ticks.labels.map(({ at, text }) => (
            <span key={text} className={styles["label"]} style={{ left: percent(at) }}>
              {text}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

const Lanes = memo(function Lanes({ model, lengthMs }: { model: TimelineModel; lengthMs: number }) {
  const bars = useMemo(() => laneBars(model, lengthMs), [model, lengthMs]);
  const places = useMemo(() => (hasThirdParty(model) ? THREE_LANES : TWO_LANES), [model]);
  return bars.map(({ lane, kind, ...interval }, index) => (
    <i key={index} className={classes(barStyles["bar"], barClass(kind))} style={onAxis(interval, places[lane])} />
  ));
});

/** One bar of the ruler's lanes. */
type LaneBar = Bar & { lane: "caller" | "agent" | "third_party" | "tool" | "silence" };

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
const hasThirdParty = ({ rows }: TimelineModel): boolean =>
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

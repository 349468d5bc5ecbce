import { memo, type ReactNode, useMemo } from "react";
import { classes } from "../../ui/classes.ts";
import { Button } from "../../ui/button.tsx";
import { type Axis, percent, type Ticks } from "./axis.ts";
import { barClass, onAxis } from "./bars.tsx";
import { hasThirdParty, type LaneBar, laneBars } from "./lanes.ts";
import type { TimelineModel } from "./model.ts";
import styles from "./timeline.module.css";

type LanePlaces = Record<LaneBar["lane"], { top: number; height?: number }>;

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

type RulerProps = {
  model: TimelineModel;
  axis: Axis;
  ticks: Ticks;
  lengthMs: number;
  isZoomed: boolean;
  /** The choice of the axis. */
  choice: ReactNode;
  onWhole: () => void;
};

/** The sticky head of the timeline: the choice of the axis, who speaks when in the whole call, and the times. */
export function Ruler({ model, axis, ticks, lengthMs, isZoomed, choice, onWhole }: RulerProps) {
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
    <i key={index} className={classes(styles["bar"], barClass(kind))} style={onAxis(interval, places[lane])} />
  ));
});

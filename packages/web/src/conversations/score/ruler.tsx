import { memo, type ReactNode, useMemo } from "react";
import { classes } from "../../ui/classes.ts";
import { Button } from "../../ui/button.tsx";
import { type Axis, percent, type Ticks } from "./axis.ts";
import { barClass, onAxis } from "./bars.tsx";
import { type LaneBar, laneBars } from "./lanes.ts";
import type { ScoreModel } from "./rows.ts";
import styles from "./score.module.css";

const LANES: Record<LaneBar["lane"], { top: number; height?: number }> = {
  caller: { top: 4 },
  agent: { top: 15 },
  tool: { top: 30, height: 5 },
  silence: { top: 8, height: 14 },
};

type RulerProps = {
  model: ScoreModel;
  axis: Axis;
  ticks: Ticks;
  lengthMs: number;
  isZoomed: boolean;
  /** The choice of the axis. */
  choice: ReactNode;
  onWhole: () => void;
};

/** The sticky head of the score: the choice of the axis, who speaks when in the whole call, and the times. */
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

const Lanes = memo(function Lanes({ model, lengthMs }: { model: ScoreModel; lengthMs: number }) {
  const bars = useMemo(() => laneBars(model, lengthMs), [model, lengthMs]);
  return bars.map(({ lane, kind, ...interval }, index) => (
    <i key={index} className={classes(styles["bar"], barClass(kind))} style={onAxis(interval, LANES[lane])} />
  ));
});

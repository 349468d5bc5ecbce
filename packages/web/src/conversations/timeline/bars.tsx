import type { CSSProperties } from "react";
import { classes } from "../../ui/classes.ts";
import type { Interval } from "./clock.ts";
import type { Bar } from "./turn-bars.ts";
import styles from "./timeline.module.css";
import type { BarKind } from "./span-rows.ts";

const CLASSES: Record<BarKind, string> = {
  caller: "caller",
  agent: "agent",
  third_party: "third_party",
  work: "work",
  wait: "wait",
  model: "model",
  speech: "speech",
  tool: "toolBar",
  rest: "rest",
  failed: "failedBar",
  silence: "silence",
};

/** Returns the class of a kind of bar. */
export const barClass = (kind: BarKind): string | undefined => styles[CLASSES[kind]];

/** Returns the style that puts an element on the axis. The axis sets `--from` and `--length`, so a zoom renders no bar again. */
export const onAxis = ({ fromMs, untilMs }: Interval, more?: CSSProperties): CSSProperties =>
  ({ "--at": String(fromMs), "--for": String(Math.max(0, untilMs - fromMs)), ...more }) as CSSProperties;

type BarsProps = {
  bars: readonly Bar[];
  /** Distance from the top of the row, in pixels. */
  top: number;
  thin?: boolean;
  /** Time that is 0 on the axis. */
  zeroMs?: number;
};

/** Bars in the waterfall of one row. */
export function Bars({ bars, top, thin = false, zeroMs = 0 }: BarsProps) {
  return bars.map(({ kind, label, fromMs, untilMs }, index) => (
    <i
      key={index}
      className={classes(styles["bar"], thin && styles["thin"], barClass(kind))}
      style={onAxis({ fromMs: fromMs - zeroMs, untilMs: untilMs - zeroMs }, { top })}
      title={label}
    />
  ));
}

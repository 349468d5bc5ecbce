import { memo } from "react";
import { classes } from "../../ui/classes.ts";
import { formatMs } from "../../ui/format.ts";
import { cut, shownText } from "../shown-text.ts";
import type { Axis } from "./axis.ts";
import { Bars, onAxis } from "./bars.tsx";
import type { Interval } from "./clock.ts";
import type { TimelineModel } from "./model.ts";
import styles from "./timeline.module.css";
import type { SpanRow as Row } from "./span-rows.ts";

const DEPTH_SHOWN = 12;

type SpanRowProps = {
  row: Row;
  model: TimelineModel;
  axis: Axis;
  /** Time that is 0 on the answer axis; null when the turn is no answer. */
  zeroMs: number | null;
  /** Periods in which both speak, which cross the rows of the turn. */
  bands: readonly Interval[];
  isLast: boolean;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
};

/** One span of the open turn, or a chain of spans of nearly the same length. */
export const SpanRow = memo(function SpanRow({
  row,
  model,
  axis,
  zeroMs,
  bands,
  isLast,
  isSelected,
  onSelect,
}: SpanRowProps) {
  const { span, name, depth, kind } = row;
  const fromMs = model.clock.ofNanoseconds(span.startTimeUnixNano);
  const untilMs = fromMs + (span.durationMs ?? 0);
  const isShown = axis === "call" || zeroMs !== null;
  return (
    <div
      role="row"
      aria-level={depth + 2}
      aria-selected={isSelected}
      tabIndex={-1}
      data-row={`span ${span.spanId}`}
      className={classes(styles["row"], styles["span"], isLast && styles["last"])}
      style={{ ["--depth" as string]: Math.min(depth, DEPTH_SHOWN) }}
      onClick={() => onSelect(span.spanId)}
    >
      <div className={styles["said"]} role="gridcell">
        <span title={cut(shownText(name), 400)}>{cut(shownText(name).replaceAll(/\s+/g, " "), 200)}</span>
        <span className={classes(styles["duration"], kind === "failed" && styles["failedText"])}>
          {span.durationMs === null ? "no end" : formatMs(span.durationMs)}
        </span>
      </div>
      <div className={styles["time"]} role="gridcell">
        <div data-plot className={styles["plot"]}>
          {axis === "answer" && <span className={styles["zero"]} />}
          {axis === "call" &&
            bands.map((band) => <span key={band.fromMs} className={styles["band"]} style={onAxis(band)} />)}
          {isShown && (
            <Bars
              bars={[{ kind, fromMs, untilMs, label: name.slice(0, 200) }]}
              top={6}
              zeroMs={axis === "answer" ? zeroMs! : 0}
            />
          )}
        </div>
      </div>
    </div>
  );
});

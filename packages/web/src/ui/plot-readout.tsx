import styles from "./plot.module.css";
import { colorToken } from "./plot-drawing.ts";
import type { PlotSeries } from "./plot-types.ts";

type PlotReadoutProps = {
  name: string;
  /** Leaves the right half of the plot free. */
  isLeft: boolean;
  series: readonly PlotSeries[];
  index: number;
  format: (value: number) => string;
};

/** The values of all lines at the crosshair. */
export function PlotReadout({ name, isLeft, series, index, format }: PlotReadoutProps) {
  return (
    <div className={styles["readout"]} data-left={isLeft} role="status">
      <b>{name}</b>
      {series.map(({ label, points }, at) => {
        const point = points[index];
        if (!point) return null;
        return (
          <span key={label}>
            <i style={{ background: `var(${colorToken(at)})` }} />
            <bdi>{label}</bdi>
            <span>
              {format(point.value)}
              {point.isFew && ", mean of few"}
            </span>
          </span>
        );
      })}
      {series.every(({ points }) => !points[index]) && <span>No samples</span>}
    </div>
  );
}

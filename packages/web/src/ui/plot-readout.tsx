import { colorNumber, colorToken, type PlotPart, type PlotSeries } from "./plot-drawing.ts";
import styles from "./plot.module.css";

type PlotReadoutProps = {
  name: string;
  /** Distance from the left edge of the plot to the crosshair, and from the crosshair to the right edge, in pixels. */
  leftPx: number;
  rightPx: number;
  series: readonly PlotSeries[];
  parts: readonly PlotPart[];
  index: number;
  /** Position of the line that a click opens. */
  nearest: number | undefined;
  format: (value: number) => string;
  /** Explanations of the marks in the bucket. */
  marks: readonly string[];
};

const GAP_PX = 12;

/** Values at the crosshair. They are beside the crosshair, on the side with more space, so that the axis stays visible. */
export function PlotReadout(props: PlotReadoutProps) {
  const { name, leftPx, rightPx, series, parts, index, nearest, format, marks } = props;
  const known = parts.filter(({ values }) => (values[index] ?? null) !== null);
  return (
    <div
      className={styles["readout"]}
      style={leftPx > rightPx ? { right: rightPx + GAP_PX } : { left: leftPx + GAP_PX }}
      role="status"
    >
      <b>{name}</b>
      {series.map((line, at) => {
        const point = line.points[index];
        if (!point) return null;
        return (
          <span key={at} data-nearest={series.length > 1 && at === nearest}>
            <i
              style={{
                background: `var(${colorToken(colorNumber(line, at))})`,
                opacity: line.look === "before" ? 0.5 : undefined,
              }}
            />
            <bdi>{line.label}</bdi>
            <span>
              {format(point.value)}
              {point.isFew && ", mean of few"}
              {point.isBad && ", bad"}
            </span>
          </span>
        );
      })}
      {known.map(({ label, token, values }) => (
        <span key={label}>
          <i style={{ background: `var(${token})` }} />
          <bdi>{label}, mean</bdi>
          <span>{format(values[index]!)}</span>
        </span>
      ))}
      {series.every(({ points }) => !points[index]) && <span>No samples</span>}
      {marks.map((words) => (
        <em key={words}>
          <bdi>{words}</bdi>
        </em>
      ))}
    </div>
  );
}

import styles from "./sparkline.module.css";

/** A point of a line: `at` is its place from 0 to 1, and `isFew` that too few samples are behind it. */
export type SparkPoint = { at: number; value: number; isFew?: boolean };

type SparklineProps = {
  points: readonly SparkPoint[];
  label: string;
  /** The distance of neighbours that the line connects; a wider one is a gap. */
  step: number;
  width?: number;
};

const HEIGHT = 30;
const EDGE = 4;
/** Keeps the highest value off the edge, so that a flat line is seen as a line. */
const HEADROOM = 1.4;

/** A small line without axes. It breaks where data are missing, and points of too few samples are hollow and alone. */
export function Sparkline({ points, label, step, width = 240 }: SparklineProps) {
  const most = Math.max(...points.map(({ value }) => value), 0);
  const x = (at: number) => EDGE + at * (width - 2 * EDGE);
  const y = (value: number) => HEIGHT - EDGE - (most === 0 ? 0 : value / (most * HEADROOM)) * (HEIGHT - 2 * EDGE);
  const path = points
    .map((point, index) => {
      const before = points[index - 1];
      const joins = before !== undefined && !before.isFew && !point.isFew && point.at - before.at <= step * 1.5;
      return point.isFew ? "" : `${joins ? "L" : "M"}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`;
    })
    .join("");
  return (
    <svg
      className={styles["spark"]}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <path d={path} />
      {points.map((point, index) => (
        <circle
          key={point.at}
          className={point.isFew ? styles["few"] : undefined}
          cx={x(point.at)}
          cy={y(point.value)}
          r={point.isFew ? 2 : index === points.length - 1 ? 2.75 : 1.25}
        />
      ))}
    </svg>
  );
}

import styles from "./small-plots.module.css";
import { formatCount, formatPercent } from "./format.ts";

const HEIGHT = 30;
const EDGE = 4;

/** Most bars for which each bar has its count and its label. */
const LABELLED_MAX = 12;

const LABELS_OF_MANY = 8;

/** `at` is the position of the point, from 0 to 1. `isFew`: the point has too few samples. */
export type SparkPoint = { at: number; value: number; isFew?: boolean };

type SparklineProps = {
  points: readonly SparkPoint[];
  label: string;
  /** Distance of neighbouring points. Points with a larger distance are not connected. */
  step: number;
  /** Values at the lower and the upper edge. Lines beside each other have the same. */
  scale: SparkScale;
  width?: number;
};

export type SparkScale = { least: number; most: number };

/** Returns a scale with zero and all values. */
export function scaleOf(points: readonly SparkPoint[]): SparkScale {
  const values = points.map(({ value }) => value);
  return { least: Math.min(0, ...values), most: Math.max(0, ...values) };
}

/** A point with too few samples is hollow and not connected to others. */
export function Sparkline({ points, label, step, scale: { least, most }, width = 240 }: SparklineProps) {
  const x = (at: number) => EDGE + at * (width - 2 * EDGE);
  const y = (value: number) => HEIGHT - EDGE - ((value - least) / (most - least || 1)) * (HEIGHT - 2 * EDGE);
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
      <line x1={0} x2={width} y1={y(0)} y2={y(0)} />
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

export type DayBar = { label: string; total: number; failed: number };

/** The lower part of a bar is the number of failures. */
export function DayBars({ bars, label, legend }: { bars: readonly DayBar[]; label: string; legend: [string, string] }) {
  const most = Math.max(...bars.map(({ total }) => total), 1);
  const isMany = bars.length > LABELLED_MAX;
  const every = isMany ? Math.ceil(bars.length / LABELS_OF_MANY) : 1;
  return (
    <figure>
      <ol className={styles["bars"]} aria-label={label}>
        {bars.map((bar, index) => (
          <li key={index}>
            <span className={styles["column"]} title={wordsOf(bar, legend)} aria-hidden>
              {!isMany && bar.total > 0 && formatCount(bar.total)}
              <i style={{ height: `calc((100% - 1.5rem) * ${bar.total / most})` }}>
                {bar.failed > 0 && <i style={{ height: `${(bar.failed / bar.total) * 100}%` }} />}
              </i>
            </span>
            <span className={styles["label"]} aria-hidden>
              {index % every === 0 && bar.label}
            </span>
            <span className="visually-hidden">{wordsOf(bar, legend)}</span>
          </li>
        ))}
      </ol>
      <figcaption className={styles["legend"]}>
        <span>
          <i className={styles["failed"]} />
          {legend[0]}
        </span>
        <span>
          <i />
          {legend[1]}
        </span>
      </figcaption>
    </figure>
  );
}

const wordsOf = ({ label, total, failed }: DayBar, legend: [string, string]): string =>
  `${label}: ${formatCount(total)}, ${formatCount(failed)} ${legend[0]}`;

type IntervalProps = { low: number | null; high: number | null; value: number | null; label: string };

export function Interval({ low, high, value, label }: IntervalProps) {
  const words =
    value === null
      ? "unknown"
      : low === null || high === null
        ? formatPercent(value)
        : `${formatPercent(value)}, between ${formatPercent(low)} and ${formatPercent(high)}`;
  return (
    <span className={styles["interval"]} role="img" aria-label={`${label}: ${words}`} title={words}>
      <i className={styles["axis"]} />
      {low !== null && high !== null && (
        <i className={styles["band"]} style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
      )}
      {value !== null && <i className={styles["dot"]} style={{ left: `${value * 100}%` }} />}
    </span>
  );
}

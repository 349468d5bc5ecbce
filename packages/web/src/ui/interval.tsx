import { formatPercent } from "./format.ts";
import styles from "./interval.module.css";

type IntervalProps = { low: number | null; high: number | null; value: number | null; label: string };

/** A share with its interval, on an axis from 0 to 1; without a value only the axis. */
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

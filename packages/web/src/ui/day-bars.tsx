import { formatCount } from "./format.ts";
import styles from "./day-bars.module.css";

export type DayBar = { label: string; total: number; failed: number };

const WIDTH = 420;
const HEIGHT = 118;
const TOP = 20;
const FOOT = 22;

/** A bar for each day or hour; its lower part counts those that failed. */
export function DayBars({ bars, label, legend }: { bars: readonly DayBar[]; label: string; legend: [string, string] }) {
  const most = Math.max(...bars.map(({ total }) => total), 1);
  const space = WIDTH / Math.max(bars.length, 1);
  const height = (count: number) => (count / most) * (HEIGHT - TOP - FOOT);
  const isSparse = bars.length <= 12;
  return (
    <figure>
      <svg className={styles["bars"]} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {bars.map((bar, index) => {
          const left = index * space + space * 0.14;
          const middle = index * space + space / 2;
          return (
            <g key={index}>
              <title>{`${bar.label}: ${formatCount(bar.total)}, ${formatCount(bar.failed)} ${legend[0]}`}</title>
              <rect
                className={styles["total"]}
                x={left}
                y={HEIGHT - FOOT - height(bar.total)}
                width={space * 0.72}
                height={height(bar.total)}
                rx={2}
              />
              <rect
                className={styles["failed"]}
                x={left}
                y={HEIGHT - FOOT - height(bar.failed)}
                width={space * 0.72}
                height={height(bar.failed)}
                rx={2}
              />
              {isSparse && bar.total > 0 && (
                <text x={middle} y={HEIGHT - FOOT - height(bar.total) - 6}>
                  {formatCount(bar.total)}
                </text>
              )}
              {(isSparse || index % Math.ceil(bars.length / 8) === 0) && (
                <text x={middle} y={HEIGHT - 6}>
                  {bar.label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption className={styles["legend"]}>
        <span>
          <i className={styles["failedMark"]} />
          {legend[0]}
        </span>
        <span>
          <i className={styles["totalMark"]} />
          {legend[1]}
        </span>
      </figcaption>
    </figure>
  );
}

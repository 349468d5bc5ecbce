import { formatCount } from "./format.ts";
import styles from "./day-bars.module.css";

export type DayBar = { label: string; total: number; failed: number };

/** The most bars of which each has its count and its label. */
const LABELLED_MAX = 12;
const LABELS_OF_MANY = 8;

/** A bar for each day or hour; its lower part counts those that failed. */
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

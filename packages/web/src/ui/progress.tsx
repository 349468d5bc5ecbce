import styles from "./progress.module.css";

export function Progress({ value, max, label }: { value: number; max: number; label: string }) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      className={styles["progress"]}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}

/** The placeholder appears after a moment, so that it does not flicker before a fast answer. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className={styles["skeleton"]} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row}>
          <i style={{ width: `${20 + ((row * 37) % 15)}%` }} />
          <i style={{ width: `${40 + ((row * 23) % 25)}%` }} />
        </span>
      ))}
    </div>
  );
}

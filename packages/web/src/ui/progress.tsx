import styles from "./progress.module.css";

/** The done part of a known amount of work. */
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

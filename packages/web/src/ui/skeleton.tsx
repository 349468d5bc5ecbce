import styles from "./skeleton.module.css";

/** Bars in the shape of the rows that come; they appear only after a moment, so that fast answers do not flicker. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className={styles["skeleton"]} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} style={{ width: `${94 - ((row * 37) % 40)}%` }} />
      ))}
    </div>
  );
}

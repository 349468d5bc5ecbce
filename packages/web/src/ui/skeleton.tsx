import styles from "./skeleton.module.css";

/** Bars in the shape of the rows that come; they appear only after a moment, so that fast answers do not flicker. */
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

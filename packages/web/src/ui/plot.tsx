import { lazy, Suspense } from "react";
import styles from "./plot.module.css";

const PlotCanvas = lazy(() => import("./plot-canvas.tsx"));

/** Lines over time. They break where data are missing; hollow points are means of too few samples. */
export function Plot(props: PlotProps) {
  return (
    <div className={styles["plot"]}>
      <Suspense fallback={<div aria-busy="true" />}>
        <PlotCanvas {...props} />
      </Suspense>
    </div>
  );
}

/** A value of a bucket; `isFew` says that too few samples are behind it. */
export type PlotPoint = { value: number; isFew: boolean };

export type PlotSeries = {
  label: string;
  /** A value or null for each of the plot's times. */
  points: readonly (PlotPoint | null)[];
};

export type PlotProps = {
  /** Says what the plot shows, for people who do not see it. */
  label: string;
  /** Starts of the buckets in milliseconds since 1970, ascending. */
  times: readonly number[];
  series: readonly PlotSeries[];
  /** Returns the start of a bucket in words. */
  formatTime: (atMs: number) => string;
  /** Returns a value with its unit. */
  format: (value: number) => string;
  /** Plots with the same key share their crosshair. */
  syncKey: string;
  /** A click on a bucket, or Return at the crosshair. */
  onBucket?: (atMs: number) => void;
};

import { lazy, Suspense } from "react";
import type { PlotProps } from "./plot-canvas.tsx";
import styles from "./plot.module.css";

const PlotCanvas = lazy(() => import("./plot-canvas.tsx"));

/** A hollow point is the mean of too few samples for a percentile. */
export function Plot(props: PlotProps) {
  return (
    <div className={styles["plot"]}>
      <Suspense fallback={<div aria-busy="true" />}>
        <PlotCanvas {...props} />
      </Suspense>
    </div>
  );
}

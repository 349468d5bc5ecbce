import { lazy, Suspense } from "react";
import type { PlotProps } from "./plot-canvas.tsx";
import styles from "./plot.module.css";

const PlotCanvas = lazy(() => import("./plot-canvas.tsx"));

/** Lines over time, with gaps where data are missing. Hollow points are means of too few samples. */
export function Plot(props: PlotProps) {
  return (
    <div className={styles["plot"]}>
      <Suspense fallback={<div aria-busy="true" />}>
        <PlotCanvas {...props} />
      </Suspense>
    </div>
  );
}

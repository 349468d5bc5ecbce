import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import { colorOf, dashOf, drawLabels, endsOf, ticksOf } from "./plot-drawing.ts";
import styles from "./plot.module.css";
import type { PlotProps } from "./plot.tsx";
import { useThemeChange } from "./use-theme-change.ts";

const HEIGHT_PX = 150;
const LABELS_PX = 96;

/** The canvas of a plot. It is drawn again when the data, the width or the theme change. */
export default function PlotCanvas({ times, series, format, formatTime, syncKey, onBucket }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const theme = useThemeChange();

  useEffect(() => {
    const host = place.current;
    if (host === null) return undefined;
    const color = (token: string) => colorOf(host, token);
    const axis = { stroke: color("--text-3"), font: "11px Inter Variable", ticks: { show: false } };
    const options: UPlot.Options = {
      width: host.clientWidth,
      height: HEIGHT_PX,
      padding: [10, LABELS_PX, 0, 0],
      legend: { show: false },
      scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 24,
          space: 64,
          splits: () => ticksOf(times).map((time) => time / 1_000),
          values: (_, seconds) => seconds.map((second) => formatTime(second * 1_000)),
        },
        {
          ...axis,
          grid: { stroke: color("--border"), width: 1 },
          size: 56,
          values: (_, values) => values.map((value) => format(value)),
          space: 36,
        },
      ],
      cursor: { sync: { key: syncKey }, y: false, points: { show: false }, drag: { x: false, y: false } },
      series: [
        {},
        ...series.flatMap((_, index): UPlot.Series[] => [
          {
            stroke: color(`--series-${(index % 5) + 1}`),
            width: 1.75,
            dash: dashOf(index),
            points: { show: true, size: 4, fill: color(`--series-${(index % 5) + 1}`) },
          },
          {
            stroke: color("--text-3"),
            paths: () => null,
            points: { show: true, size: 5, fill: color("--surface"), stroke: color("--text-3"), width: 1.25 },
          },
        ]),
      ],
      hooks: {
        setCursor: [({ cursor }) => setAt(cursor.idx ?? undefined)],
        draw: [(plot) => drawLabels(plot, endsOf(plot, series), series, color)],
      },
    };
    const columns = series.flatMap(({ points }) => [
      points.map((point) => (point === null || point.isFew ? null : point.value)),
      points.map((point) => (point?.isFew ? point.value : null)),
    ]);
    const plot = new UPlot(options, [times.map((time) => time / 1_000), ...columns], host);
    plot.over.addEventListener("click", () => {
      const time = plot.cursor.idx === null || plot.cursor.idx === undefined ? undefined : times[plot.cursor.idx];
      if (time !== undefined) onBucket?.(time);
    });
    const resizing = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT_PX }));
    resizing.observe(host);
    return () => {
      resizing.disconnect();
      plot.destroy();
    };
  }, [times, series, format, formatTime, syncKey, onBucket, theme]);

  const time = at === undefined ? undefined : times[at];
  return (
    <>
      <div ref={place} />
      <p className={styles["readout"]} aria-hidden>
        {time !== undefined && <span>{formatTime(time)}</span>}
        {at !== undefined &&
          series.map(({ label, points }) => {
            const point = points[at];
            return point ? (
              <span key={label}>
                <bdi>{label}</bdi> {format(point.value)}
                {point.isFew && " (mean of few)"}
              </span>
            ) : null;
          })}
      </p>
    </>
  );
}

import "uplot/dist/uPlot.min.css";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import styles from "./plot.module.css";
import {
  colorOf,
  colorToken,
  dashOf,
  drawBands,
  drawLabels,
  drawLimit,
  drawMarks,
  marksByBucket,
  endsOf,
  type PlotBand,
  type PlotLimit,
  type PlotMark,
  type PlotSeries,
  rangeOf,
  ticksOf,
} from "./plot-drawing.ts";

const HEIGHT_PX = 180;
const LABELS_PX = 96;
const FONT = "11px Inter Variable";
const AXIS_PX_MIN = 56;
const CHARACTER_PX = 6.5;
/** Number of buckets above which the plot draws no points, because the points would hide the line. */
const SPARSE_MAX = 240;
const NO_BANDS: readonly PlotBand[] = [];
const NO_MARKS: readonly PlotMark[] = [];

export type PlotProps = {
  /** Description of the plot for people who cannot see it. */
  label: string;
  /** Starts of the buckets in milliseconds since 1970, in ascending order. */
  times: readonly number[];
  series: readonly PlotSeries[];
  formatTime: (atMs: number) => string;
  /** Returns a short text for the start of a bucket, for the axis. By default the text of `formatTime`. */
  formatTick?: (atMs: number) => string;
  format: (value: number) => string;
  limit?: PlotLimit;
  /** Length of a bucket in milliseconds. The plot leaves half a bucket of space at both ends. */
  bucketMs?: number;
  bands?: readonly PlotBand[];
  /** Times marked with a thin line, in ascending order. */
  marks?: readonly PlotMark[];
  /** Plots with the same key share a crosshair. */
  syncKey: string;
  /** Called with the start of a bucket when it is clicked, or when Return is pressed at the crosshair. */
  onBucket?: (atMs: number) => void;
};

/** The plot is drawn again when the data, the width or the theme changes. ← and → move the crosshair. */
export default function PlotCanvas({ label, onBucket, ...drawing }: PlotProps) {
  const {
    times,
    series,
    format,
    formatTime,
    formatTick = formatTime,
    syncKey,
    limit,
    bucketMs = 0,
    bands = NO_BANDS,
    marks = NO_MARKS,
  } = drawing;
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(null);
  const [at, setAt] = useState<number>();
  const theme = useThemeChange();

  useEffect(() => {
    const host = place.current!;
    const columns = series.flatMap(({ points }) => [
      points.map((point) => (point === null || point.isFew ? null : point.value)),
      points.map((point) => (point?.isFew ? point.value : null)),
      points.map((point) => (point?.isBad ? point.value : null)),
    ]);
    const plot = new UPlot(
      optionsOf(host, { times, series, format, formatTick, syncKey, limit, bucketMs, bands, marks, onCursor: setAt }),
      [times.map((time) => time / 1_000), ...columns],
      host,
    );
    drawn.current = plot;
    const resizing = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: plot.height }));
    resizing.observe(host);
    return () => {
      resizing.disconnect();
      plot.destroy();
    };
  }, [times, series, format, formatTick, syncKey, limit, bucketMs, bands, marks, theme]);

  const open = () => {
    const time = at === undefined ? undefined : times[at];
    if (time !== undefined) onBucket?.(time);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Enter") open();
    if (step === undefined || times.length === 0) return;
    event.preventDefault();
    const next = Math.min(Math.max((at ?? (step > 0 ? -1 : times.length)) + step, 0), times.length - 1);
    const plot = drawn.current!;
    plot.setCursor({ left: plot.valToPos(times[next]! / 1_000, "x"), top: 0 });
  };

  return (
    <div
      role="group"
      aria-roledescription="plot"
      aria-label={[label, ...marks.map(({ words, atMs }) => `${words}: ${formatTime(atMs)}`)].join(". ")}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div ref={place} onClick={open} />
      {at !== undefined && times[at] !== undefined && (
        <PlotReadout
          name={formatTime(times[at])}
          isLeft={at * 2 >= times.length}
          series={series}
          index={at}
          format={format}
          marks={(marksByBucket(times, marks).get(at) ?? []).map(({ words }) => words)}
        />
      )}
    </div>
  );
}

type PlotReadoutProps = {
  name: string;
  /** Whether the readout is on the left, so that it does not cover the right half. */
  isLeft: boolean;
  series: readonly PlotSeries[];
  index: number;
  format: (value: number) => string;
  /** Explanations of the marks in the bucket. */
  marks: readonly string[];
};

function PlotReadout({ name, isLeft, series, index, format, marks }: PlotReadoutProps) {
  return (
    <div className={styles["readout"]} data-left={isLeft} role="status">
      <b>{name}</b>
      {series.map(({ label, points }, at) => {
        const point = points[index];
        if (!point) return null;
        return (
          <span key={label}>
            <i style={{ background: `var(${colorToken(at)})` }} />
            <bdi>{label}</bdi>
            <span>
              {format(point.value)}
              {point.isFew && ", mean of few"}
              {point.isBad && ", bad"}
            </span>
          </span>
        );
      })}
      {series.every(({ points }) => !points[index]) && <span>No samples</span>}
      {marks.map((words) => (
        <em key={words}>
          <bdi>{words}</bdi>
        </em>
      ))}
    </div>
  );
}

type Drawing = Pick<PlotProps, "times" | "series" | "format" | "syncKey"> & {
  formatTick: (atMs: number) => string;
  limit: PlotLimit | undefined;
  bucketMs: number;
  bands: readonly PlotBand[];
  marks: readonly PlotMark[];
  /** Called with the index of the bucket under the crosshair; undefined when the crosshair leaves the plot. */
  onCursor: (index: number | undefined) => void;
};

const axisPx = (values: readonly string[] | null): number =>
  Math.max(AXIS_PX_MIN, ...(values ?? []).map(({ length }) => 12 + length * CHARACTER_PX));

/** Each line has two additional series: its hollow points and its bad points. */
function optionsOf(
  host: HTMLElement,
  { times, series, format, formatTick, syncKey, limit, bucketMs, bands, marks, onCursor }: Drawing,
): UPlot.Options {
  const color = (token: string) => colorOf(host, token);
  const axis = { stroke: color("--text-3"), font: FONT, ticks: { show: false } };
  const bad = color("--failed");
  const isSparse = times.length <= SPARSE_MAX;
  return {
    width: host.clientWidth,
    height: HEIGHT_PX,
    padding: [10, LABELS_PX, 0, 0],
    legend: { show: false },
    scales: {
      ...(bucketMs > 0 && {
        x: { range: (_: UPlot, least: number, most: number) => [least - bucketMs / 2_000, most + bucketMs / 2_000] },
      }),
      y: { range: (_, least, most) => rangeOf(least, most, limit?.value) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 64,
        splits: ({ bbox }) => ticksOf(times, bbox.width / devicePixelRatio).map((time) => time / 1_000),
        values: (_, seconds) => seconds.map((second) => formatTick(second * 1_000)),
      },
      {
        ...axis,
        grid: { stroke: color("--border"), width: 1 },
        size: (_, values) => axisPx(values),
        space: 36,
        values: (_, values) => values.map((value) => format(value)),
      },
    ],
    cursor: { sync: { key: syncKey }, y: false, points: { show: false }, drag: { x: false, y: false } },
    series: [
      {},
      ...series.flatMap((_, index): UPlot.Series[] => {
        const stroke = color(colorToken(index));
        return [
          { stroke, width: 1.75, dash: dashOf(index), points: { show: isSparse, size: 4, fill: stroke, width: 0 } },
          { stroke, paths: () => null, points: { show: true, size: 6, fill: color("--surface"), stroke, width: 1.25 } },
          { stroke: bad, paths: () => null, points: { show: true, size: isSparse ? 7 : 4, fill: bad, width: 0 } },
        ];
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)],
      drawClear: [(plot) => drawBands(plot, bands, color)],
      draw: [
        (plot) => {
          drawMarks(plot, times, marks, color);
          if (limit !== undefined) drawLimit(plot, limit, color);
          drawLabels(plot, endsOf(plot, series, limit), color);
        },
      ],
    },
  };
}

/** Returns a number that changes with the theme. Drawings that cannot use CSS variables depend on this number. */
function useThemeChange(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((count) => count + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", changed);
    const watching = new MutationObserver(changed);
    watching.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", changed);
      watching.disconnect();
    };
  }, []);
  return changes;
}

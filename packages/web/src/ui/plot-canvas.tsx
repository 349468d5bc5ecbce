import "uplot/dist/uPlot.min.css";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import styles from "./plot.module.css";
import {
  colorNumber,
  colorOf,
  colorToken,
  columnsOf,
  dashOf,
  drawBands,
  drawColumns,
  drawLabels,
  drawLimit,
  drawMarks,
  drawZero,
  endsOf,
  marksByBucket,
  nearestLine,
  type PlotBand,
  type PlotLimit,
  type PlotMark,
  type PlotPart,
  type PlotSeries,
  rangeOf,
  ticksOf,
} from "./plot-drawing.ts";
import { PlotReadout } from "./plot-readout.tsx";
import { useThemeChange } from "./use-theme-change.ts";

const HEIGHT_PX = 180;
const LABELS_PX = 96;
/** Half of a tick's label is to the right of the last bucket. */
const EDGE_PX = 24;
const FONT = "11px Inter Variable";
const AXIS_PX_MIN = 56;
const CHARACTER_PX = 6.5;
/** Number of buckets above which the plot draws no points, because the points would hide the line. */
const SPARSE_MAX = 240;
const FADED = 0.12;
const BEFORE_DASH = [3, 3];
/** Each line has its points, its hollow points and its bad points. */
const SERIES_PER_LINE = 3;
const NO_BANDS: readonly PlotBand[] = [];
const NO_MARKS: readonly PlotMark[] = [];
const NO_PARTS: readonly PlotPart[] = [];

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
  parts?: readonly PlotPart[];
  heightPx?: number;
  /** Whether the lines have their labels at their ends. By default they have. */
  hasEndLabels?: boolean;
  /** Label of the line that stands out. */
  emphasis?: string | undefined;
  /** Plots with the same key share a crosshair. */
  syncKey: string;
  /** Called with the start of a bucket and the position of the nearest line, when it is clicked or Return is pressed. */
  onBucket?: (atMs: number, line: number | undefined) => void;
};

/** Bucket and line at the crosshair, and the position of the point in pixels. */
type Crosshair = { index: number; line: number | undefined; leftPx: number; topPx: number; widthPx: number };

/** The plot is drawn again when the data, the width or the theme changes. The arrow keys move the crosshair. */
export default function PlotCanvas({ label, emphasis, onBucket, ...drawing }: PlotProps) {
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
    parts = NO_PARTS,
    heightPx = HEIGHT_PX,
    hasEndLabels = true,
  } = drawing;
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(null);
  const [at, setAt] = useState<Crosshair>();
  // The other plots with the same key show only the line of the crosshair.
  const [isActive, setActive] = useState(false);
  const theme = useThemeChange();

  useEffect(() => {
    const host = place.current!;
    const columns = series.flatMap(({ points }) => [
      points.map((point) => (point === null || point.isFew ? null : point.value)),
      points.map((point) => (point?.isFew ? point.value : null)),
      points.map((point) => (point?.isBad ? point.value : null)),
    ]);
    const plot = new UPlot(
      optionsOf(host, {
        times,
        series,
        format,
        formatTick,
        syncKey,
        limit,
        bucketMs,
        bands,
        marks,
        parts,
        heightPx,
        hasEndLabels,
        onCursor: setAt,
      }),
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
  }, [times, series, format, formatTick, syncKey, limit, bucketMs, bands, marks, parts, heightPx, hasEndLabels, theme]);

  useEffect(() => {
    const plot = drawn.current!;
    for (const [line, { label: own, look }] of series.entries())
      for (let each = 0; each < SERIES_PER_LINE; each++)
        plot.series[1 + line * SERIES_PER_LINE + each]!.alpha = alphaOf(
          look,
          emphasis === undefined || emphasis === own,
        );
    plot.redraw(false);
  }, [emphasis, series]);

  const open = () => {
    const time = at === undefined ? undefined : times[at.index];
    if (time !== undefined) onBucket?.(time, at!.line);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") open();
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const jump = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if ((step ?? jump) === undefined || times.length === 0) return;
    event.preventDefault();
    const plot = drawn.current!;
    const index = at === undefined ? (step === 1 ? 0 : times.length - 1) : at.index + (step ?? 0);
    const next = Math.min(Math.max(index, 0), times.length - 1);
    const points = topsOf(plot, series, next);
    const ordered = points.filter((top) => top !== null).toSorted((one, other) => one - other);
    const own = at?.line === undefined ? undefined : points[at.line];
    const top =
      jump === undefined || own === undefined || own === null
        ? own
        : ordered[Math.min(Math.max(ordered.indexOf(own) + jump, 0), ordered.length - 1)];
    plot.setCursor({ left: plot.valToPos(times[next]! / 1_000, "x"), top: top ?? ordered[0] ?? 0 });
  };
  const leave = () => {
    setActive(false);
    drawn.current!.setCursor({ left: -10, top: -10 });
  };

  return (
    <div
      role="group"
      aria-roledescription="plot"
      aria-label={[label, ...marks.map(({ words, atMs }) => `${words}: ${formatTime(atMs)}`)].join(". ")}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => setActive(true)}
      onBlur={leave}
      onPointerEnter={() => setActive(true)}
      onPointerLeave={() => setActive(false)}
    >
      <div ref={place} onClick={open} />
      {isActive && at !== undefined && times[at.index] !== undefined && (
        <>
          {at.line !== undefined && series[at.line] !== undefined && (
            <i
              className={styles["ring"]}
              style={{
                left: at.leftPx,
                top: at.topPx,
                borderColor: `var(${colorToken(colorNumber(series[at.line]!, at.line))})`,
              }}
            />
          )}
          <PlotReadout
            name={formatTime(times[at.index]!)}
            leftPx={at.leftPx}
            rightPx={at.widthPx - at.leftPx}
            series={series}
            parts={parts}
            index={at.index}
            nearest={at.line}
            format={format}
            marks={(marksByBucket(times, marks).get(at.index) ?? []).map(({ words }) => words)}
          />
        </>
      )}
    </div>
  );
}

const alphaOf = (look: PlotSeries["look"], isEmphasized: boolean): number =>
  isEmphasized ? (look === "before" ? 0.6 : 1) : FADED;

/** Returns the distances of the points of a bucket from the top of the plot, in pixels. */
const topsOf = (plot: UPlot, series: readonly PlotSeries[], index: number): (number | null)[] =>
  series.map(({ points, look }) => {
    const point = points[index];
    return point && look !== "before" ? plot.valToPos(point.value, "y") : null;
  });

function crosshairOf(plot: UPlot, series: readonly PlotSeries[]): Crosshair | undefined {
  const { cursor, over, width } = plot;
  const { idx: index, left = 0, top = 0 } = cursor;
  if (index === null || index === undefined) return undefined;
  const points = topsOf(plot, series, index);
  const line = nearestLine(points, top);
  const topPx = line === undefined ? 0 : points[line]! + over.offsetTop;
  return { index, line, leftPx: over.offsetLeft + left, topPx, widthPx: width };
}

type Drawing = Pick<PlotProps, "times" | "series" | "format" | "syncKey"> & {
  formatTick: (atMs: number) => string;
  limit: PlotLimit | undefined;
  bucketMs: number;
  bands: readonly PlotBand[];
  marks: readonly PlotMark[];
  parts: readonly PlotPart[];
  heightPx: number;
  hasEndLabels: boolean;
  /** Called with the position of the crosshair; undefined when the crosshair leaves the plot. */
  onCursor: (at: Crosshair | undefined) => void;
};

const axisPx = (values: readonly string[] | null): number =>
  Math.max(AXIS_PX_MIN, ...(values ?? []).map(({ length }) => 12 + length * CHARACTER_PX));

function optionsOf(host: HTMLElement, drawing: Drawing): UPlot.Options {
  const { times, series, format, formatTick, syncKey, limit, bucketMs, bands, marks, parts, heightPx } = drawing;
  const { hasEndLabels, onCursor } = drawing;
  const color = (token: string) => colorOf(host, token);
  const axis = { stroke: color("--text-3"), font: FONT, ticks: { show: false } };
  const columns = columnsOf(parts, times.length);
  const ends = columns.flat().map(({ to }) => to);
  return {
    width: host.clientWidth,
    height: heightPx,
    padding: [10, hasEndLabels ? LABELS_PX : EDGE_PX, 0, 0],
    legend: { show: false },
    scales: {
      ...(bucketMs > 0 && {
        x: { range: (_: UPlot, least: number, most: number) => [least - bucketMs / 2_000, most + bucketMs / 2_000] },
      }),
      y: { range: (_, least, most) => rangeOf(least, most, limit?.value, ...ends) },
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
    cursor: {
      sync: { key: syncKey },
      y: false,
      points: { show: false },
      // uPlot would take each click beside a bucket for the end of a drag.
      drag: { x: false, y: false, click: () => {} },
      // The crosshair stands on the nearest bucket.
      move: (plot, left, top) =>
        left < 0 || times.length === 0 ? [left, top] : [plot.valToPos(plot.data[0][plot.posToIdx(left)]!, "x"), top],
    },
    series: [{}, ...series.flatMap((line, index) => seriesOf(line, colorNumber(line, index), times.length, color))],
    hooks: {
      setCursor: [(plot) => onCursor(crosshairOf(plot, series))],
      drawClear: [
        (plot) => {
          drawBands(plot, bands, color);
          drawColumns(plot, times, columns, color);
          drawZero(plot, color);
        },
      ],
      draw: [
        (plot) => {
          drawMarks(plot, times, marks, color);
          if (limit !== undefined) drawLimit(plot, limit, color);
          if (hasEndLabels) drawLabels(plot, endsOf(plot, series, limit), color);
        },
      ],
    },
  };
}

function seriesOf({ look = "main" }: PlotSeries, number: number, times: number, color: (token: string) => string) {
  const stroke = color(colorToken(number));
  const bad = color("--failed");
  const isSparse = times <= SPARSE_MAX;
  const alpha = alphaOf(look, true);
  const points = { show: isSparse && look === "main", size: 4, fill: stroke, width: 0 };
  const none = () => null;
  const lines: UPlot.Series[] = [
    {
      stroke,
      alpha,
      points,
      width: look === "thin" ? 1 : 1.75,
      dash: look === "before" ? BEFORE_DASH : dashOf(number),
    },
    { stroke, alpha, paths: none, points: { show: true, size: 6, fill: color("--surface"), stroke, width: 1.25 } },
    { stroke: bad, alpha, paths: none, points: { show: true, size: isSparse ? 7 : 4, fill: bad, width: 0 } },
  ];
  return lines;
}

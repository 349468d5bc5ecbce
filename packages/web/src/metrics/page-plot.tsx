import { use } from "react";
import { formatBucket } from "../periods.ts";
import { formatDateTime, formatMeasure } from "../ui/format.ts";
import type { PlotPart, PlotSeries } from "../ui/plot-drawing.ts";
import { Plot } from "../ui/plot.tsx";
import { Emphasis } from "./legend.tsx";
import type { Line } from "./lines.ts";
import { useOpenConversations, usePlotPage } from "./plot-page.ts";

type PagePlotProps = {
  id: string;
  label: string;
  series: readonly PlotSeries[];
  format: (value: number) => string;
  /** Line of each series. With one line, all series are of it. */
  lines: readonly Line[];
  parts?: readonly PlotPart[];
  heightPx?: number;
};

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const;

const TICKS = {
  hour: (atMs: number) => formatBucket(atMs, "hour"),
  day: (atMs: number) => formatBucket(atMs, "day"),
} as const;

/** Plot with the times, the crosshair and the marks of the page. A point opens its conversations. */
export function PagePlot({ id, lines, ...plot }: PagePlotProps) {
  const { bucket, marks, times } = usePlotPage();
  const { label: emphasis } = use(Emphasis);
  const open = useOpenConversations();
  return (
    <Plot
      {...plot}
      times={times}
      formatTime={bucket === "hour" ? formatDateTime : TICKS.day}
      formatTick={TICKS[bucket]}
      bucketMs={BUCKET_MS[bucket]}
      syncKey="metrics"
      marks={marks}
      hasEndLabels={false}
      emphasis={lines.length > 1 ? emphasis : undefined}
      onBucket={(atMs, line) =>
        open(id, lines.length === 1 ? lines[0] : line === undefined ? undefined : lines[line], atMs)
      }
    />
  );
}

/** Units that the label of a measure already contains. */
const UNITS_IN_LABELS: ReadonlySet<string> = new Set(["tokens", "words/min"]);

const FORMATS = new Map<string, (value: number) => string>();

/** Returns the same function for the same unit, so that a plot is not drawn again. */
export function formatOf(unit: string): (value: number) => string {
  const known = FORMATS.get(unit);
  if (known !== undefined) return known;
  const format = (value: number) => {
    const text = formatMeasure(value, unit);
    return UNITS_IN_LABELS.has(unit) ? text.replace(` ${unit}`, "") : text;
  };
  FORMATS.set(unit, format);
  return format;
}

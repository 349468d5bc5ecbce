import type UPlot from "uplot";
import { colorOf, colorToken, dashOf, drawLabels, endsOf, ticksOf } from "./plot-drawing.ts";
import type { PlotProps } from "./plot-types.ts";

const HEIGHT_PX = 180;
const LABELS_PX = 96;
const FONT = "11px Inter Variable";

type Drawing = Pick<PlotProps, "times" | "series" | "format" | "formatTime" | "syncKey"> & {
  /** Receives the index of the bucket under the crosshair. */
  onCursor: (index: number | undefined) => void;
};

const AXIS_PX_MIN = 56;
const CHARACTER_PX = 6.5;

/** Returns the width of the axis that shows values. */
const axisPx = (values: readonly string[] | null): number =>
  Math.max(AXIS_PX_MIN, ...(values ?? []).map(({ length }) => 12 + length * CHARACTER_PX));

/** Returns the options of uPlot for lines in the colours of an element's theme. Each line has a second one for hollow points. */
export function optionsOf(
  host: HTMLElement,
  { times, series, format, formatTime, syncKey, onCursor }: Drawing,
): UPlot.Options {
  const color = (token: string) => colorOf(host, token);
  const axis = { stroke: color("--text-3"), font: FONT, ticks: { show: false } };
  return {
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
          { stroke, width: 1.75, dash: dashOf(index), points: { show: true, size: 4, fill: stroke, width: 0 } },
          { stroke, paths: () => null, points: { show: true, size: 6, fill: color("--surface"), stroke, width: 1.25 } },
        ];
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)],
      draw: [(plot) => drawLabels(plot, endsOf(plot, series), series, color)],
    },
  };
}

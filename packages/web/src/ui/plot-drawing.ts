import type UPlot from "uplot";

/** A value of a bucket; `isFew` says that too few samples are behind it. */
export type PlotPoint = { value: number; isFew: boolean };

export type PlotSeries = {
  label: string;
  /** A value or null for each of the plot's times. */
  points: readonly (PlotPoint | null)[];
};

/** The patterns that tell lines apart without colour. */
const DASHES = [[], [7, 3], [2, 3], [8, 3, 2, 3], [12, 4], [1, 2], [5, 2, 1, 2], [3, 6]];
const LABEL_PX = 12;
const LABEL_CHARACTERS_MAX = 14;

/** Returns the dash pattern of a line. */
export const dashOf = (index: number): number[] => DASHES[index % DASHES.length]!;

/** Returns the name of a line's colour; from the sixth line on, only the dash pattern differs from an earlier one. */
export const colorToken = (index: number): string => `--series-${(index % 5) + 1}`;

/** Returns the colour that a token has in an element's theme; a canvas cannot read tokens. */
export function colorOf(element: HTMLElement, token: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const TICKS_MAX = 6;

/** Returns the buckets whose starts are named on the axis. */
export function ticksOf(times: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(times.length / TICKS_MAX));
  return times.filter((_, index) => (times.length - 1 - index) % step === 0);
}

type End = { index: number; x: number; y: number };

/** Returns where each line ends, moved apart so that labels do not overlap. */
export function endsOf(plot: UPlot, series: readonly PlotSeries[]): End[] {
  const ends = series.flatMap(({ points }, index): End[] => {
    const at = points.findLastIndex((point) => point !== null);
    const point = points[at];
    if (!point) return [];
    const x = plot.valToPos(plot.data[0]![at]!, "x", true);
    return [{ index, x, y: plot.valToPos(point.value, "y", true) }];
  });
  const { top, height } = plot.bbox;
  return spread(ends, LABEL_PX * devicePixelRatio, top + height);
}

/** Moves positions down, and up from `bottom`, so that neighbours have at least a distance. */
export function spread<T extends { y: number }>(ends: readonly T[], distance: number, bottom: number): T[] {
  let lowest = Number.NEGATIVE_INFINITY;
  const moved = ends
    .toSorted((a, b) => a.y - b.y)
    .map((end) => {
      lowest = Math.max(end.y, lowest + distance);
      return { ...end, y: lowest };
    });
  return moved.map((end, index) => ({ ...end, y: Math.min(end.y, bottom - (moved.length - 1 - index) * distance) }));
}

/** Draws each line's label at its end. */
export function drawLabels(
  { ctx, bbox }: UPlot,
  ends: readonly End[],
  series: readonly PlotSeries[],
  color: (token: string) => string,
): void {
  ctx.save();
  ctx.font = `540 ${11 * devicePixelRatio}px Inter Variable`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const { index, y } of ends) {
    const { label } = series[index]!;
    ctx.fillStyle = color(colorToken(index));
    const shown = label.length > LABEL_CHARACTERS_MAX ? `${label.slice(0, LABEL_CHARACTERS_MAX - 1)}…` : label;
    ctx.fillText(shown, bbox.left + bbox.width + 6 * devicePixelRatio, y);
  }
  ctx.restore();
}

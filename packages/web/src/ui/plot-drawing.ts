import type UPlot from "uplot";

/** `isFew`: the bucket has too few samples. `isBad`: the value exceeds the limit of the plot. */
export type PlotPoint = { value: number; isFew: boolean; isBad?: boolean };

/** `thin`: a second statistic of a line. `before`: the values of an earlier period. */
type PlotLook = "main" | "thin" | "before";

export type PlotSeries = {
  label: string;
  /** One point for each time of the plot; null without a value. */
  points: readonly (PlotPoint | null)[];
  /** Number of the colour and of the dash pattern, from 0. By default the position in the plot. */
  color?: number;
  look?: PlotLook;
};

/** Parts of the buckets, drawn as columns behind the lines. `values` has one number for each time; null without a value. */
export type PlotPart = { label: string; token: string; values: readonly (number | null)[] };

export type PlotLimit = { value: number; label: string };

/** `bad`: the period of an alert. `marked`: the period that the page is about. */
export type PlotBand = { fromMs: number; toMs: number; kind: "bad" | "marked" };

/** The dash patterns distinguish lines without colour. */
const DASHES = [[], [7, 3], [2, 3], [8, 3, 2, 3], [12, 4], [1, 2], [5, 2, 1, 2], [3, 6]];
/** `label` is beside the line; `words` explain it. */
export type PlotMark = { atMs: number; label: string; words: string };

const LABEL_PX = 12;
const LABEL_CHARACTERS_MAX = 15;

export const dashOf = (index: number): number[] => DASHES[index % DASHES.length]!;

/** Number of the colours. Further lines repeat them. */
export const COLORS = DASHES.length;

export const colorToken = (index: number): string => `--series-${(index % COLORS) + 1}`;

/** Returns the number of the colour of a line of a plot. */
export const colorNumber = ({ color }: PlotSeries, index: number): number => color ?? index;

/** Returns the value of a CSS variable in an element's theme, because a canvas cannot use CSS variables. */
export function colorOf(element: HTMLElement, token: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const TICKS_MAX = 6;
/** Width of the label of a bucket, in pixels. */
const TICK_PX = 60;

/** Returns the starts of the buckets that have a label on an axis of this width: at least two, if there are so many buckets. */
export function ticksOf(times: readonly number[], widthPx = Infinity): number[] {
  const most = Math.max(2, Math.min(TICKS_MAX, Math.floor(widthPx / TICK_PX)));
  const step = Math.max(1, Math.ceil(times.length / most));
  return times.filter((_, index) => (times.length - 1 - index) % step === 0);
}

/** The range contains zero, all values and the other numbers, such as the limit. */
export function rangeOf(
  least: number | null,
  most: number | null,
  ...others: (number | undefined)[]
): [foot: number, top: number] {
  const values = [least, most, ...others].filter((value) => typeof value === "number");
  const [foot, top] = [Math.min(0, ...values) * 1.1, Math.max(0, ...values) * 1.1];
  return foot === top ? [0, 1] : [foot, top];
}

type End = { label: string; token: string; y: number };

/** Labels that would overlap are moved apart. */
export function endsOf(plot: UPlot, series: readonly PlotSeries[], limit?: PlotLimit): End[] {
  const ends = series.flatMap((line, index): End[] => {
    const value = line.points.findLast((point) => point !== null)?.value;
    if (value === undefined || line.look === "before") return [];
    return [{ label: line.label, token: colorToken(colorNumber(line, index)), y: plot.valToPos(value, "y", true) }];
  });
  if (limit !== undefined)
    ends.push({ label: limit.label, token: "--failed", y: plot.valToPos(limit.value, "y", true) });
  const { top, height } = plot.bbox;
  return spread(ends, LABEL_PX * devicePixelRatio, top + height);
}

/** Returns the positions moved apart: neighbours are at least `distance` apart, and none is below `bottom`. */
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

export function drawLabels({ ctx, bbox }: UPlot, ends: readonly End[], color: (token: string) => string): void {
  ctx.save();
  ctx.font = `540 ${11 * devicePixelRatio}px Inter Variable`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const { label, token, y } of ends) {
    ctx.fillStyle = color(token);
    ctx.fillText(shortLabel(label), bbox.left + bbox.width + 6 * devicePixelRatio, y);
  }
  ctx.restore();
}

export function drawBands(plot: UPlot, bands: readonly PlotBand[], color: (token: string) => string): void {
  const { ctx, bbox } = plot;
  const within = (x: number) => Math.min(Math.max(x, bbox.left), bbox.left + bbox.width);
  ctx.save();
  for (const { fromMs, toMs, kind } of bands.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))) {
    const [from, to] = [fromMs, toMs].map((ms) => within(plot.valToPos(ms / 1_000, "x", true)));
    ctx.fillStyle = color(kind === "bad" ? "--failed-soft" : "--accent-soft");
    ctx.fillRect(from!, bbox.top, to! - from!, bbox.height);
    if (kind === "bad") continue;
    ctx.strokeStyle = color("--accent");
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeRect(from!, bbox.top, to! - from!, bbox.height);
  }
  ctx.restore();
}

/** Leaves out marks before the first bucket. */
export function marksByBucket(times: readonly number[], marks: readonly PlotMark[]): Map<number, PlotMark[]> {
  const bucketOf = ({ atMs }: PlotMark) => times.findLastIndex((time) => time <= atMs);
  const byBucket = Map.groupBy(marks, bucketOf);
  byBucket.delete(-1);
  return byBucket;
}

/** The names of the marks are at the top of the line, unless another name leaves too little space. */
export function drawMarks(
  plot: UPlot,
  times: readonly number[],
  marks: readonly PlotMark[],
  color: (token: string) => string,
): void {
  const { ctx, bbox } = plot;
  const [right, gap] = [bbox.left + bbox.width, 4 * devicePixelRatio];
  ctx.save();
  ctx.font = `${10 * devicePixelRatio}px Inter Variable`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  ctx.strokeStyle = color("--text-3");
  ctx.fillStyle = color("--text-2");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 2 * devicePixelRatio]);
  let free = right;
  // Begins with the newest mark. Each name has the space up to the next line or name on its right.
  for (const [bucket, own] of [...marksByBucket(times, marks)].toSorted(([one], [other]) => other - one)) {
    const x = plot.valToPos(times[bucket]! / 1_000, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const names = [...new Set(own.map(({ label }) => shortLabel(label)))];
    const shown = names.length === 1 ? names[0]! : `${names.at(-1)!} +${names.length - 1}`;
    const { width } = ctx.measureText(shown);
    const isLeft = free === right && x + gap + width > right;
    const from = isLeft ? x - gap - width : x + gap;
    if (from + width <= free) ctx.fillText(shown, from, bbox.top);
    free = Math.min(x, from) - gap;
  }
  ctx.restore();
}

/** Cuts a long label in the middle, because names of one family differ at their ends. */
export function shortLabel(label: string): string {
  const characters = [...label];
  if (characters.length <= LABEL_CHARACTERS_MAX) return label;
  const half = (LABEL_CHARACTERS_MAX - 1) / 2;
  return `${characters.slice(0, Math.floor(half)).join("")}…${characters.slice(-Math.ceil(half)).join("")}`;
}

/** Ends of a part in its column. */
type Layer = { token: string; from: number; to: number };

/** Returns the column of each time. Negative parts extend below zero, so that they shorten no other part. */
export const columnsOf = (parts: readonly PlotPart[], times: number): Layer[][] =>
  Array.from({ length: times }, (_, at) => {
    let [above, below] = [0, 0];
    return parts.flatMap(({ token, values }): Layer[] => {
      const value = values[at] ?? null;
      if (value === null) return [];
      const from = value < 0 ? below : above;
      if (value < 0) below += value;
      else above += value;
      return [{ token, from, to: from + value }];
    });
  });

const COLUMN_PX_MAX = 36;
const COLUMN_ALPHA = 0.55;

export function drawColumns(
  plot: UPlot,
  times: readonly number[],
  columns: readonly Layer[][],
  color: (token: string) => string,
): void {
  const { ctx, bbox } = plot;
  const width = Math.min(COLUMN_PX_MAX * devicePixelRatio, (bbox.width / Math.max(times.length, 1)) * 0.6);
  ctx.save();
  ctx.globalAlpha = COLUMN_ALPHA;
  for (const [at, layers] of columns.entries()) {
    const x = plot.valToPos(times[at]! / 1_000, "x", true) - width / 2;
    for (const { token, from, to } of layers) {
      const [one, other] = [plot.valToPos(from, "y", true), plot.valToPos(to, "y", true)];
      ctx.fillStyle = color(token);
      ctx.fillRect(x, Math.min(one, other), width, Math.abs(one - other));
    }
  }
  ctx.restore();
}

/** Draws a line at zero when values are below it. */
export function drawZero(plot: UPlot, color: (token: string) => string): void {
  if ((plot.scales["y"]?.min ?? 0) >= 0) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(0, "y", true);
  ctx.save();
  ctx.fillStyle = color("--border-strong");
  ctx.fillRect(bbox.left, y - devicePixelRatio / 2, bbox.width, devicePixelRatio);
  ctx.restore();
}

/** Returns the position of the line whose point is nearest to `y`, both in pixels; undefined without points. */
export function nearestLine(points: readonly (number | null)[], y: number): number | undefined {
  let nearest: { line: number; distance: number } | undefined;
  for (const [line, at] of points.entries()) {
    if (at === null) continue;
    const distance = Math.abs(at - y);
    if (nearest === undefined || distance < nearest.distance) nearest = { line, distance };
  }
  return nearest?.line;
}

export function drawLimit(plot: UPlot, { value }: PlotLimit, color: (token: string) => string): void {
  const { ctx, bbox } = plot;
  const y = plot.valToPos(value, "y", true);
  ctx.save();
  ctx.strokeStyle = color("--failed");
  ctx.lineWidth = 1.25 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

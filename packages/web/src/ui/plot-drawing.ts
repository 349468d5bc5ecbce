import type UPlot from "uplot";

/** `isFew`: the bucket has too few samples. `isBad`: the value exceeds the limit of the plot. */
export type PlotPoint = { value: number; isFew: boolean; isBad?: boolean };

export type PlotSeries = {
  label: string;
  /** One point for each time of the plot; null without a value. */
  points: readonly (PlotPoint | null)[];
};

export type PlotLimit = { value: number; label: string };

/** `bad`: the period of an alert. `marked`: the period that the page is about. */
export type PlotBand = { fromMs: number; toMs: number; kind: "bad" | "marked" };

/** The dash patterns distinguish lines without colour. */
const DASHES = [[], [7, 3], [2, 3], [8, 3, 2, 3], [12, 4], [1, 2], [5, 2, 1, 2], [3, 6]];
/** `label` is beside the line; `words` explain it. */
export type PlotMark = { atMs: number; label: string; words: string };

const LABEL_PX = 12;
const LABEL_CHARACTERS_MAX = 14;

export const dashOf = (index: number): number[] => DASHES[index % DASHES.length]!;

/** From the sixth line on colours repeat, and only the dash pattern differs. */
export const colorToken = (index: number): string => `--series-${(index % 5) + 1}`;

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

/** The range contains zero, all values and the limit. */
export function rangeOf(least: number | null, most: number | null, limit?: number): [foot: number, top: number] {
  const values = [least, most, limit].filter((value) => typeof value === "number");
  const [foot, top] = [Math.min(0, ...values) * 1.1, Math.max(0, ...values) * 1.1];
  return foot === top ? [0, 1] : [foot, top];
}

type End = { label: string; token: string; y: number };

/** Labels that would overlap are moved apart. */
export function endsOf(plot: UPlot, series: readonly PlotSeries[], limit?: PlotLimit): End[] {
  const ends = series.flatMap(({ label, points }, index): End[] => {
    const value = points.findLast((point) => point !== null)?.value;
    return value === undefined ? [] : [{ label, token: colorToken(index), y: plot.valToPos(value, "y", true) }];
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

const shortLabel = (label: string): string =>
  label.length > LABEL_CHARACTERS_MAX ? `${label.slice(0, LABEL_CHARACTERS_MAX - 1)}…` : label;

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

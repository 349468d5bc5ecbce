/** A difference counts only from this part of the first median on, and from this number of milliseconds on. */
const SHARE_MIN = 0.05;
const MS_MIN = 50;

type Difference = { firstMs: number; differenceMs: number; lowMs: number; highMs: number };

/** Returns the size of a difference that is too small to matter, in milliseconds. */
export const tooSmallMs = (firstMs: number): number => Math.max(MS_MIN, firstMs * SHARE_MIN);

/** Returns an axis around zero that holds the interval and the zone too small to matter, with round ticks. */
export function differenceAxis({ firstMs, differenceMs, lowMs, highMs }: Difference) {
  const widest = Math.max(Math.abs(lowMs), Math.abs(highMs), Math.abs(differenceMs), tooSmallMs(firstMs)) * 1.2;
  const step = stepOf(widest);
  const end = Math.ceil(widest / step) * step + step / 2;
  const count = Math.floor(end / step);
  const ticks = Array.from({ length: 2 * count + 1 }, (_, at) => (at - count) * step);
  return { end, ticks, shareOf: (ms: number) => (ms + end) / (2 * end) };
}

/** Returns a round step of which two or three fit on each side of zero. */
function stepOf(widest: number): number {
  const rough = widest / 2.5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough)!;
}

/** Returns a difference with its sign: `+60`, `−23`, `0`. */
export const signed = (ms: number): string => {
  const rounded = Math.round(ms);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
};

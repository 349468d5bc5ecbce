/** Half of the height of the drawing, in its own units. */
export const MIDDLE = 100;

/** Quiet speech is visible beside loud speech, as the ear hears it. */
const LOUDNESS = 0.6;
/** A call that is this quiet is drawn as quiet, in thousandths of full scale. */
const LOUDEST_MIN = 50;

/** Returns the level that fills the height of a drawing: the highest of all channels. */
export const loudestOf = (channels: readonly { peaks: readonly number[] }[]): number =>
  channels.reduce((loudest, { peaks }) => peaks.reduce((most, peak) => Math.max(most, peak), loudest), LOUDEST_MIN);

/**
 * Returns the outline of a channel as the data of a path with one unit per bucket. `side` says where it is drawn: above the
 * middle, below it, or mirrored on both sides.
 */
export function outlineOf(peaks: readonly number[], loudest: number, side: "above" | "below" | "both"): string {
  const height = (peak: number) => Math.round(MIDDLE * (peak / loudest) ** LOUDNESS * 10) / 10;
  const line = (sign: 1 | -1) =>
    peaks.map((peak, at) => `L${at} ${MIDDLE - sign * height(peak)}L${at + 1} ${MIDDLE - sign * height(peak)}`);
  const above = side === "below" ? "" : line(1).join("");
  const below = side === "above" ? "" : line(-1).join("");
  const start = `M0 ${MIDDLE}`;
  const end = `L${peaks.length} ${MIDDLE}Z`;
  return [above, below].flatMap((outline) => (outline === "" ? [] : [start + outline + end])).join("");
}

/** Returns the index of the turn that is heard at a time: the last one that has started; undefined before the first. */
export function turnAt(starts: readonly { turn: number; atMs: number }[], ms: number): number | undefined {
  let heard: { turn: number; atMs: number } | undefined;
  for (const start of starts) {
    if (start.atMs <= ms && start.atMs >= (heard?.atMs ?? -Infinity)) heard = start;
  }
  return heard?.turn;
}

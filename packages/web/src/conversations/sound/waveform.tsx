import type { Waveform as WaveformData } from "@svc/contract";
import { memo, useMemo } from "react";
import { classes } from "../../ui/classes.ts";
import { onAxis } from "../timeline/bars.tsx";
import styles from "./player.module.css";

const SIDES = { caller: "above", agent: "below", both: "both" } as const;

/** Half the height of the drawing, in SVG units. */
const MIDDLE = 100;

/** An exponent that makes quiet speech visible beside loud speech, similar to human hearing. */
const LOUDNESS = 0.6;

/** Levels are scaled to at least this value, in thousandths of full scale, so that a quiet call looks quiet. */
const LOUDEST_MIN = 50;

/** The caller is above the middle, and the agent is below. */
export const Waveform = memo(function Waveform({ waveform, offsetMs }: { waveform: WaveformData; offsetMs: number }) {
  const { bucketMs, channels } = waveform;
  const paths = useMemo(() => {
    const loudest = loudestOf(channels);
    return channels.map(({ party, peaks }) => ({ party, d: outlineOf(peaks, loudest, SIDES[party]) }));
  }, [channels]);
  const buckets = channels[0]?.peaks.length ?? 0;
  if (buckets === 0) return null;
  const interval = { fromMs: offsetMs, untilMs: offsetMs + buckets * bucketMs };
  return (
    <svg
      className={styles["waveform"]}
      style={onAxis(interval)}
      viewBox={`0 0 ${buckets} ${2 * MIDDLE}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {paths.map(({ party, d }) => (
        <path key={party} className={classes(styles["channel"], styles[party])} d={d} />
      ))}
    </svg>
  );
});

export const loudestOf = (channels: readonly { peaks: readonly number[] }[]): number =>
  channels.reduce((loudest, { peaks }) => peaks.reduce((most, peak) => Math.max(most, peak), loudest), LOUDEST_MIN);

/**
 * Returns the outline of a channel as SVG path data, with one unit per bucket. `side` places it above the middle, below it, or mirrored on
 * both sides.
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

export function turnAt(starts: readonly { turn: number; atMs: number }[], ms: number): number | undefined {
  let heard: { turn: number; atMs: number } | undefined;
  for (const start of starts) {
    if (start.atMs <= ms && start.atMs >= (heard?.atMs ?? -Infinity)) heard = start;
  }
  return heard?.turn;
}

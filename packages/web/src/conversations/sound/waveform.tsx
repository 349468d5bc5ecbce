import type { Waveform as WaveformData } from "@svc/contract";
import { memo, useMemo } from "react";
import { classes } from "../../ui/classes.ts";
import { onAxis } from "../timeline/bars.tsx";
import { loudestOf, MIDDLE, outlineOf } from "./shape.ts";
import styles from "./player.module.css";

const SIDES = { caller: "above", agent: "below", both: "both" } as const;

/** The levels of a recording on the axis: the caller above the middle, the agent below it. */
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

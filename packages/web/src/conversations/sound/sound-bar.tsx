import type { Recording } from "@svc/contract";
import type { Interval } from "../timeline/axis.ts";
import { MissingRecording } from "./missing-recording.tsx";
import styles from "./player.module.css";
import { PlayerBar } from "./player.tsx";
import type { Player } from "./use-player.ts";

type SoundBarProps = {
  player: Player | undefined;
  recording: Recording;
  /** The range of the call axis; undefined on another axis, where the whole recording is shown. */
  range: Interval | undefined;
};

/** The player of a recording, or the reason why it is missing. */
export function SoundBar({ player, recording, range }: SoundBarProps) {
  if (player === undefined)
    return (
      <div className={styles["missing"]}>
        <MissingRecording recording={recording} />
      </div>
    );
  const { offsetMs, durationMs } = player.sound;
  return (
    <PlayerBar
      player={player}
      recording={recording}
      range={range ?? { fromMs: offsetMs, untilMs: offsetMs + durationMs }}
    />
  );
}

import type { Recording } from "@svc/contract";
import { Download, Pause, Play } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Notice } from "../../ui/notice.tsx";
import { useKeys } from "../../ui/use-keys.ts";
import { callTime, type Interval } from "../timeline/axis.ts";
import styles from "./player.module.css";
import type { Player } from "./use-player.ts";
import { Waveform } from "./waveform.tsx";

const STEP_MS = 5_000;
const FINE_STEP_MS = 1_000;

type SoundBarProps = {
  player: Player | undefined;
  recording: Recording;
  /** Range of the call axis. Undefined on another axis; the player then shows the whole recording. */
  range: Interval | undefined;
};

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

const MissingRecording = ({ recording }: { recording: Recording }) => (
  <Notice kind="warning">No recording. {recording.message}</Notice>
);

type PlayerBarProps = { player: Player; recording: Recording; range: Interval };

function PlayerBar({ player, recording, range }: PlayerBarProps) {
  const { sound, audio, isPlaying, nowMs, speed, hasFailed } = player;
  const { offsetMs, durationMs, address } = sound;
  const parties = new Set(recording.waveform?.channels.map(({ party }) => party));
  useKeys({
    " ": player.toggle,
    ArrowLeft: () => player.seek(nowMs - STEP_MS),
    ArrowRight: () => player.seek(nowMs + STEP_MS),
  });
  return (
    <section className={styles["player"]} aria-label="Recording">
      {/* No captions: the transcript beside the player contains the words. */}
      <audio ref={audio} src={address} preload="none" />
      <div className={styles["controls"]}>
        <Button look="primary" iconOnly aria-label={isPlaying ? "Pause" : "Play"} onClick={player.toggle}>
          {isPlaying ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
        </Button>
        <span className={styles["clock"]}>
          {callTime(nowMs - offsetMs)} <span className={styles["length"]}>/ {callTime(durationMs)}</span>
        </span>
        <Button look="quiet" small aria-label={`Speed ${speed}, change`} title="Speed" onClick={player.changeSpeed}>
          {speed}×
        </Button>
        <a className={buttonClass("quiet", true, true)} href={address} download aria-label="Save the recording">
          <Download size={16} aria-hidden />
        </a>
        {parties.has("caller") && (
          <span className={styles["lanes"]} aria-hidden>
            <span className={styles["ofCaller"]}>Caller</span>
            <span className={styles["ofAgent"]}>Agent</span>
          </span>
        )}
      </div>
      <Track player={player} recording={recording} range={range} />
      {hasFailed && (
        <div className={styles["problem"]}>
          <Notice kind="failed">
            The recording could not be loaded. Press play to try again, or reload the page when this goes on.
          </Notice>
        </div>
      )}
    </section>
  );
}

function Track({ player, recording, range }: PlayerBarProps) {
  const track = useRef<HTMLDivElement>(null);
  const { sound, nowMs, seek } = player;
  const { offsetMs, durationMs } = sound;
  const seekTo = ({ clientX }: PointerEvent) => {
    const { left, width } = track.current!.getBoundingClientRect();
    seek(range.fromMs + ((clientX - left) / width) * (range.untilMs - range.fromMs));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = stepOf(event.key, nowMs, offsetMs, durationMs);
    if (to === undefined) return;
    event.preventDefault();
    seek(to);
  };
  const onAxisOf = { "--from": range.fromMs, "--length": range.untilMs - range.fromMs } as CSSProperties;
  return (
    <div className={styles["track"]}>
      <div
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label="Position in the recording"
        aria-valuemin={0}
        aria-valuemax={Math.round(durationMs / 1_000)}
        aria-valuenow={Math.round((nowMs - offsetMs) / 1_000)}
        aria-valuetext={`${callTime(nowMs - offsetMs)} of ${callTime(durationMs)}`}
        className={styles["plot"]}
        style={onAxisOf}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          seekTo(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
        }}
      >
        {recording.waveform !== null && <Waveform waveform={recording.waveform} offsetMs={offsetMs} />}
        <span className={classes(styles["head"])} />
      </div>
    </div>
  );
}

function stepOf(key: string, nowMs: number, offsetMs: number, durationMs: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: nowMs - FINE_STEP_MS,
    ArrowDown: nowMs - FINE_STEP_MS,
    ArrowRight: nowMs + FINE_STEP_MS,
    ArrowUp: nowMs + FINE_STEP_MS,
    PageDown: nowMs - STEP_MS,
    PageUp: nowMs + STEP_MS,
    Home: offsetMs,
    End: offsetMs + durationMs,
  };
  return steps[key];
}

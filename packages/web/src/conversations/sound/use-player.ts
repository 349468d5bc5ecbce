import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { turnAt } from "./waveform.tsx";

export type Sound = {
  address: string;
  /** Time from the start of the conversation to the start of the recording, in milliseconds. */
  offsetMs: number;
  durationMs: number;
};

export type Player = {
  sound: Sound;
  audio: RefObject<HTMLAudioElement | null>;
  isPlaying: boolean;
  /** Current time in the conversation, in milliseconds. The `--now` property of the layer is updated more often. */
  nowMs: number;
  /** Turn that is playing, or that was played last; undefined before the first turn is played. */
  turn: number | undefined;
  speed: number;
  hasFailed: boolean;
  toggle(): void;
  seek(ms: number): void;
  playFrom(ms: number): void;
  changeSpeed(): void;
};

/** Playback of a turn starts this much before the turn's words, so that the beginning of the words is not cut off. */
export const LEAD_MS = 100;
const SPEEDS = [1, 1.25, 1.5, 2];

type UsePlayer = {
  sound: Sound | undefined;
  /** The start of each turn, in the conversation's time. */
  starts: readonly { turn: number; atMs: number }[];
  /** The element whose `--now` property follows the playback. */
  layer: RefObject<HTMLElement | null>;
};

const NO_SOUND: Sound = { address: "", offsetMs: 0, durationMs: 0 };

/** The page must render an audio element whose ref is `player.audio`. */
export function usePlayer({ sound, starts, layer }: UsePlayer): Player | undefined {
  const { address, offsetMs, durationMs } = sound ?? NO_SOUND;
  const audio = useRef<HTMLAudioElement | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [nowMs, setNowMs] = useState(offsetMs);
  const [turn, setTurn] = useState<number>();
  const [speed, setSpeed] = useState(1);
  const [hasFailed, setFailed] = useState(false);

  const follow = useCallback(() => {
    const ms = offsetMs + (audio.current?.currentTime ?? 0) * 1_000;
    layer.current?.style.setProperty("--now", String(ms));
    setTurn(ms > offsetMs ? turnAt(starts, ms + LEAD_MS) : undefined);
    return ms;
  }, [offsetMs, layer, starts]);

  useEffect(() => {
    const element = audio.current;
    if (element === null) return undefined;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let frame = 0;
    const eachFrame = () => {
      follow();
      frame = requestAnimationFrame(eachFrame);
    };
    const onPlay = () => {
      setPlaying(true);
      setFailed(false);
      cancelAnimationFrame(frame);
      if (!isCalm) eachFrame();
    };
    const onPause = () => {
      setPlaying(false);
      cancelAnimationFrame(frame);
    };
    const onTime = () => setNowMs(follow());
    const onError = () => {
      onPause();
      setFailed(true);
    };
    const listeners = { play: onPlay, pause: onPause, timeupdate: onTime, seeked: onTime, error: onError };
    for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
    onTime();
    return () => {
      cancelAnimationFrame(frame);
      for (const [name, listener] of Object.entries(listeners)) element.removeEventListener(name, listener);
    };
  }, [address, follow]);

  return useMemo(() => {
    if (address === "") return undefined;
    const seek = (ms: number) => {
      const element = audio.current;
      if (element === null) return;
      element.currentTime = Math.min(Math.max(0, ms - offsetMs), durationMs) / 1_000;
      setNowMs(follow());
    };
    const start = () => {
      const element = audio.current;
      if (element === null) return;
      if (element.error !== null) {
        const before = element.currentTime;
        element.load();
        element.currentTime = before;
      }
      // A rejection needs no handling. If the element cannot play, it emits `error`; otherwise the user has already paused it.
      element.play().catch(() => undefined);
    };
    return {
      sound: { address, offsetMs, durationMs },
      audio,
      isPlaying,
      nowMs,
      turn,
      speed,
      hasFailed,
      toggle() {
        const element = audio.current;
        if (element === null) return;
        if (element.ended) element.currentTime = 0;
        if (element.paused) start();
        else element.pause();
      },
      seek,
      playFrom(ms) {
        seek(ms);
        start();
      },
      changeSpeed() {
        const next = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length]!;
        if (audio.current !== null) audio.current.playbackRate = next;
        setSpeed(next);
      },
    };
  }, [address, offsetMs, durationMs, isPlaying, nowMs, turn, speed, hasFailed, follow]);
}

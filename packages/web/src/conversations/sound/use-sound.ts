import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import type { TimelineModel } from "../timeline/model.ts";
import type { HeardTurn } from "../timeline/use-grid-keys.ts";
import { LEAD_MS, type Player, type Sound, usePlayer } from "./use-player.ts";

type UseSound = {
  sound: Sound | undefined;
  model: TimelineModel;
  layer: RefObject<HTMLElement | null>;
  /** The selected turn. */
  turn: number | undefined;
};

type TimelineSound = {
  player: Player | undefined;
  heard: HeardTurn | undefined;
  /** Moves the recording to the start of a turn. */
  seekTurn(turn: number): void;
};

/** Returns the recording in step with the turns of a timeline: selecting a turn moves the recording to its start. */
export function useSound({ sound, model, layer, turn }: UseSound): TimelineSound {
  const starts = useMemo(() => model.turnRows.map((row) => ({ turn: row.turn.index, atMs: row.atMs })), [model]);
  const player = usePlayer({ sound, starts, layer });
  const now = useRef({ player, starts });
  now.current = { player, starts };

  const startOf = (index: number): number => {
    const start = now.current.starts.find((each) => each.turn === index);
    return (start?.atMs ?? 0) - LEAD_MS;
  };
  const seekTurn = useCallback((index: number) => now.current.player?.seek(startOf(index)), []);
  const onPlay = useCallback((index: number) => now.current.player?.playFrom(startOf(index)), []);

  // A verdict selects a turn too.
  const before = useRef(turn);
  useEffect(() => {
    if (turn !== undefined && turn !== before.current) seekTurn(turn);
    before.current = turn;
  }, [turn, seekTurn]);

  const heardTurn = player?.turn;
  const isPlaying = player?.isPlaying === true;
  const hasPlayer = player !== undefined;
  const heard = useMemo(
    () => (hasPlayer ? { turn: heardTurn, isPlaying, onPlay } : undefined),
    [hasPlayer, heardTurn, isPlaying, onPlay],
  );
  return { player, heard, seekTurn };
}

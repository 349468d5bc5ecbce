import type { Recording, Trace } from "@svc/contract";
import { audioAddress } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef } from "react";
import { usePlace } from "../../shell/place.ts";
import type { TimelineModel } from "../timeline/model.ts";
import type { HeardTurn } from "../timeline/grid.tsx";
import { LEAD_MS, type Player, type Sound, usePlayer } from "./use-player.ts";

type UseSound = {
  sound: Sound | undefined;
  model: TimelineModel;
  layer: RefObject<HTMLElement | null>;
  turn: number | undefined;
};

type TimelineSound = {
  player: Player | undefined;
  heard: HeardTurn | undefined;
  seekTurn(turn: number): void;
  /** `ms` is a time in the conversation. The caller then selects `turn`; that selection does not move the recording again. */
  playMoment(turn: number, ms: number): void;
};

/** When a turn is selected, the recording moves to the start of the turn. */
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

  // A verdict selects a turn without a call of `seekTurn`, so this effect calls it.
  const before = useRef(turn);
  useEffect(() => {
    if (turn !== undefined && turn !== before.current) seekTurn(turn);
    before.current = turn;
  }, [turn, seekTurn]);
  const playMoment = useCallback((index: number, ms: number) => {
    before.current = index;
    now.current.player?.playFrom(ms);
  }, []);

  const heardTurn = player?.turn;
  const isPlaying = player?.isPlaying === true;
  const hasPlayer = player !== undefined;
  const heard = useMemo(
    () => (hasPlayer ? { turn: heardTurn, isPlaying, onPlay } : undefined),
    [hasPlayer, heardTurn, isPlaying, onPlay],
  );
  return { player, heard, seekTurn, playMoment };
}

type PlayableRecording = { recording: Recording; address: string };

/** Returns null if no recording of the conversation was attempted. */
export function useRecording(traceId: string): PlayableRecording | null {
  const { client, organizationId, projectId } = usePlace();
  const { data: recording } = useQuery({
    queryKey: [organizationId, projectId, "recordings.ofConversation", traceId],
    queryFn: async ({ signal }) =>
      (await client.recordings.ofConversation({ traceId, projectId }, { signal })).recording,
    staleTime: 30_000,
  });
  return useMemo(() => {
    if (!recording) return null;
    const input = { traceId, organizationId, projectId };
    return { recording, address: audioAddress(location.origin, "recordings.audioOfConversation", input) };
  }, [recording, organizationId, projectId, traceId]);
}

/** Returns undefined if nothing can be played. */
export function soundOf(
  playable: PlayableRecording | null,
  { startedAt }: Pick<Trace, "startedAt">,
): Sound | undefined {
  if (!playable || playable.recording.state !== "kept") return undefined;
  const { startedAt: recordedFrom, durationMs } = playable.recording;
  const offsetMs = recordedFrom === null ? 0 : Date.parse(recordedFrom) - Date.parse(startedAt);
  return { address: playable.address, offsetMs, durationMs: durationMs! };
}

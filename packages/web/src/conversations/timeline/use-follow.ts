import { type RefObject, useEffect, useRef } from "react";
import type { GridItem } from "./grid-items.ts";
import { rowName } from "./use-grid-keys.ts";

/** The turn of a recording that is heard. */
export type HeardTurn = { turn: number | undefined; isPlaying: boolean; onPlay: (turn: number) => void };

type UseFollow = {
  root: RefObject<HTMLElement | null>;
  heard: HeardTurn | undefined;
  items: readonly GridItem[];
  reveal(index: number): void;
};

/** Brings the turn that is heard into sight while the recording plays, unless the person has scrolled away from it. */
export function useFollow({ root, heard, items, reveal }: UseFollow): void {
  const before = useRef<number>(undefined);
  const turn = heard?.turn;
  const isPlaying = heard?.isPlaying === true;
  useEffect(() => {
    const wasSeen = before.current === undefined || isOnScreen(root.current, before.current);
    before.current = turn;
    if (turn === undefined || !isPlaying || !wasSeen) return;
    const index = items.findIndex((item) => rowName(item) === `turn ${turn}`);
    if (index >= 0) reveal(index);
  }, [turn, isPlaying]);
}

function isOnScreen(root: HTMLElement | null, turn: number): boolean {
  const row = root?.querySelector(`[data-row="turn ${turn}"]`)?.getBoundingClientRect();
  return row !== undefined && row.bottom > 0 && row.top < innerHeight;
}

import { type KeyboardEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { type GridItem, rowName } from "./grid-items.ts";

type UseGridKeys = {
  grid: RefObject<HTMLElement | null>;
  items: readonly GridItem[];
  /** Shows the row, which may not be in the page yet. */
  reveal(index: number): void;
  selectTurn(turn: number, isOpen?: boolean): void;
  openRest(isOpen: boolean): void;
  selectSpan(spanId: string): void;
  /** Whether Space belongs to the player of a recording; otherwise it opens and closes a row. */
  isSpaceTaken: boolean;
};

/**
 * Returns the key handler of the grid. ↑ and ↓ go to the turn before and after, or, inside the spans, to the span before and
 * after; → opens the spans and goes into them; ← goes back and closes them.
 */
export function useGridKeys({ grid, items, reveal, selectTurn, openRest, selectSpan, isSpaceTaken }: UseGridKeys) {
  const wanted = useRef<string>(undefined);

  const focusWanted = useCallback(() => {
    if (wanted.current === undefined) return;
    const row = grid.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (row === null || row === undefined) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }, [grid]);
  // The row may enter the page only after it was revealed.
  useLayoutEffect(focusWanted);

  return useCallback(
    (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (event.key === " " && isSpaceTaken) ||
        event.target !== event.currentTarget.ownerDocument.activeElement
      )
        return;
      const current = (event.target as HTMLElement).dataset["row"];
      const at = items.findIndex((item) => rowName(item) === current);
      const item = items[at];
      if (item === undefined) return;
      const next = nextItem(event.key, items, at, item);
      if (next === undefined) return;
      event.preventDefault();
      if (typeof next === "number") {
        const target = items[next]!;
        wanted.current = rowName(target);
        if (target.type === "row" && target.row.type === "turn")
          selectTurn(target.row.turn.index, item.type !== "span" || undefined);
        if (target.type === "span") selectSpan(target.row.span.spanId);
        reveal(next);
        focusWanted();
        return;
      }
      const isOpen = next === "open";
      if (item.type === "rest") openRest(isOpen);
      else if (item.type === "row" && item.row.type === "turn") selectTurn(item.row.turn.index, isOpen);
      else if (item.type === "span") selectSpan(item.row.span.spanId);
    },
    [items, reveal, selectTurn, openRest, selectSpan, focusWanted, isSpaceTaken],
  );
}

/** Returns the index of the row that the key goes to, or whether it opens or closes the row. */
function nextItem(
  key: string,
  items: readonly GridItem[],
  at: number,
  item: GridItem,
): number | "open" | "close" | undefined {
  const isTop = (candidate: GridItem) =>
    candidate.type === "rest" || (candidate.type === "row" && candidate.row.type === "turn");
  const isStop = item.type === "span" ? (candidate: GridItem) => rowName(candidate) !== undefined : isTop;
  const found = (index: number) => (index < 0 ? undefined : index);
  switch (key) {
    case "ArrowDown":
      return found(items.findIndex((candidate, index) => index > at && isStop(candidate)));
    case "ArrowUp":
      return found(items.findLastIndex((candidate, index) => index < at && isStop(candidate)));
    case "Home":
      return found(items.findIndex(isTop));
    case "End":
      return found(items.findLastIndex(isTop));
    case "ArrowRight":
      return items[at + 1]?.type === "span" && item.type !== "span"
        ? at + 1
        : item.type === "span"
          ? undefined
          : "open";
    case "ArrowLeft":
      return item.type === "span"
        ? found(items.findLastIndex((candidate, index) => index < at && isTop(candidate)))
        : "close";
    case "Enter":
    case " ":
      return item.type === "span" ? "open" : items[at + 1]?.type === "span" ? "close" : "open";
    default:
      return undefined;
  }
}

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

import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Interval } from "./axis.ts";
import { type GridItem, gridItems, type OpenSpans, rowName, useShownItems } from "./grid-items.ts";
import { useSelection, useShownTurn, useTimeline } from "./context.tsx";
import { useTimelineView } from "./view.ts";
import type { Mark } from "./marks.ts";
import { OtherRow, RestRow, SpanRow } from "./other-rows.tsx";
import styles from "./timeline.module.css";
import { TurnRow } from "./turn-row.tsx";

/** Screens on which the inspector stands below the transcript. */
const STACKED = "(max-width: 60rem)";

const NO_MARKS: readonly Mark[] = [];
const NO_BANDS: readonly Interval[] = [];

/** Turn of the recording that is playing, or that was played last. */
export type HeardTurn = { turn: number | undefined; isPlaying: boolean; onPlay: (turn: number) => void };

type GridProps = {
  root: RefObject<HTMLDivElement | null>;
  ruler: ReactNode;
  /** Undefined if there is no recording. */
  heard: HeardTurn | undefined;
  seekTurn: (turn: number) => void;
};

export function Grid({ root, ruler, heard, seekTurn }: GridProps) {
  const { model, axis } = useTimeline();
  const { marks, turnTab, shown: selection } = useSelection();
  const { span, turn: addressed, change } = useTimelineView();
  const { turn, isNamed } = useShownTurn();
  const [open, setOpen] = useState<OpenSpans>(turn ?? (model.rows.length === 0 ? null : undefined));
  const items = useMemo(() => gridItems(model, open), [model, open]);
  const { shown, before, after, measure, reveal } = useShownItems(items, model, root);
  const byTurn = useMemo(() => Map.groupBy(marks, (mark) => mark.turn), [marks]);

  const selectTurn = useCallback(
    (selected: number, isOpen = true) => {
      setOpen(isOpen ? selected : undefined);
      change({ turn: selected, span: undefined, ...(turnTab === undefined && { tab: undefined }) });
      seekTurn(selected);
    },
    [change, turnTab, seekTurn],
  );
  const state = useRef({ turn, open });
  state.current = { turn, open };
  const clickTurn = useCallback(
    (clicked: number) => selectTurn(clicked, state.current.turn !== clicked || state.current.open !== clicked),
    [selectTurn],
  );
  const selectSpan = useCallback((spanId: string) => change({ span: spanId, tab: turnTab }), [change, turnTab]);
  const onKeyDown = useGridKeys({
    grid: root,
    items,
    reveal,
    selectTurn,
    openRest: (isOpen) => setOpen(isOpen ? null : undefined),
    selectSpan,
    isSpaceTaken: heard !== undefined,
  });
  useFollow({ root, heard, items, reveal });

  const wasRevealed = useRef(false);
  const wanted = selection?.to === "words" ? selection : undefined;
  // Scrolls to a turn that the address or a verdict selects. Scrolls to the default turn only when the page opens, because a live
  // conversation must not move while someone reads it. On a narrow screen the page then opens at its head, which has the reasons.
  useEffect(() => {
    if (turn === undefined) return;
    setOpen((was) => (was === turn || was === null ? was : turn));
    const index = items.findIndex((item) => rowName(item) === `turn ${turn}`);
    const isRead = addressed === undefined && wanted === undefined && matchMedia(STACKED).matches;
    if (index >= 0 && !isRead && (isNamed || !wasRevealed.current)) reveal(index, "center");
    wasRevealed.current = true;
  }, [turn, wanted]);

  const firstStop = items.find((item) => rowName(item) !== undefined);
  const tabStop = turn === undefined ? firstStop && rowName(firstStop) : `turn ${turn}`;
  return (
    <div
      ref={root}
      role="treegrid"
      aria-label="Transcript and waterfall"
      aria-rowcount={items.length + 1}
      className={styles["grid"]}
      onKeyDown={onKeyDown}
    >
      {ruler}
      {heard !== undefined && axis === "call" && <Playhead />}
      <div role="rowgroup" style={{ paddingTop: before, paddingBottom: after }}>
        {shown.map((index) => (
          <div key={items[index]!.key} role="presentation" data-index={index} ref={measure}>
            {rowOf(items[index]!)}
          </div>
        ))}
      </div>
    </div>
  );

  function rowOf(item: GridItem): ReactNode {
    if (item.type === "rest")
      return (
        <RestRow
          count={item.count}
          isOpen={open === null}
          isTabStop={tabStop === "rest"}
          onToggle={() => setOpen(open === null ? undefined : null)}
        />
      );
    if (item.type === "span")
      return (
        <SpanRow
          row={item.row}
          zeroMs={item.turn === null ? null : (model.answers.get(item.turn)?.zeroMs ?? null)}
          bands={item.turn === null ? NO_BANDS : model.turnRows[item.turn]!.bands}
          isLast={item.isLast}
          isSelected={item.row.spans.some(({ spanId }) => spanId === span)}
          onSelect={selectSpan}
        />
      );
    const { row } = item;
    if (row.type !== "turn") return <OtherRow row={row} />;
    const { index } = row.turn;
    return (
      <TurnRow
        row={row}
        isSelected={index === turn}
        isOpen={index === open}
        isTabStop={tabStop === `turn ${index}`}
        marks={byTurn.get(index) ?? NO_MARKS}
        onSelect={clickTurn}
        isHeard={index === heard?.turn}
        onPlay={heard?.onPlay}
      />
    );
  }
}

const Playhead = () => (
  <div className={styles["playLayer"]} aria-hidden>
    <div>
      <span />
    </div>
  </div>
);

type UseGridKeys = {
  grid: RefObject<HTMLElement | null>;
  items: readonly GridItem[];
  /** Scrolls to the row, which may not be rendered yet. */
  reveal(index: number): void;
  selectTurn(turn: number, isOpen?: boolean): void;
  openRest(isOpen: boolean): void;
  selectSpan(spanId: string): void;
  /** Whether Space controls the player. If not, Space opens and closes a row. */
  isSpaceTaken: boolean;
};

/**
 * ↑ and ↓ move between turns or, within spans, between spans. → opens the spans of a turn, and then moves into the spans. ← moves
 * out of the spans, and then closes them.
 */
function useGridKeys({ grid, items, reveal, selectTurn, openRest, selectSpan, isSpaceTaken }: UseGridKeys) {
  const wanted = useRef<string>(undefined);

  const focusWanted = useCallback(() => {
    if (wanted.current === undefined) return;
    const row = grid.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (row === null || row === undefined) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }, [grid]);
  // React may render a revealed row only later. The row gets the focus when it is rendered.
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

/** Returns the index of the row to which a key moves, or whether the key opens or closes the row. */
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

type UseFollow = {
  root: RefObject<HTMLElement | null>;
  heard: HeardTurn | undefined;
  items: readonly GridItem[];
  reveal(index: number): void;
};

/** Scrolls to the turn that is playing, unless the user has scrolled away from it. */
function useFollow({ root, heard, items, reveal }: UseFollow): void {
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

import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Interval } from "./axis.ts";
import { type GridItem, gridItems, type OpenSpans, rowName, useShownItems } from "./grid-items.ts";
import { useSelection, useShownTurn, useTimeline } from "./context.tsx";
import { useTimelineView } from "./view.ts";
import type { Mark } from "./marks.ts";
import { OtherRow, RestRow, SpanRow } from "./other-rows.tsx";
import styles from "./timeline.module.css";
import { TurnRow } from "./turn-row.tsx";
import { type HeardTurn, useFollow, useGridKeys } from "./use-grid-keys.ts";

const NO_MARKS: readonly Mark[] = [];
const NO_BANDS: readonly Interval[] = [];

type GridProps = {
  root: RefObject<HTMLDivElement | null>;
  ruler: ReactNode;
  /** Undefined without a recording. */
  heard: HeardTurn | undefined;
  seekTurn: (turn: number) => void;
};

/** Transcript and waterfall as one grid: one row per turn, with the spans of the open turn below it. */
export function Grid({ root, ruler, heard, seekTurn }: GridProps) {
  const { model, axis } = useTimeline();
  const { marks, turnTab } = useSelection();
  const { span, change } = useTimelineView();
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

  // A turn that is selected elsewhere, by a verdict or in the address, comes into sight.
  useEffect(() => {
    if (turn === undefined) return;
    setOpen((was) => (was === turn || was === null ? was : turn));
    const index = items.findIndex((item) => rowName(item) === `turn ${turn}`);
    if (index >= 0 && isNamed) reveal(index);
  }, [turn]);

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

/** The line through the rows at the time that is heard. */
const Playhead = () => (
  <div className={styles["playLayer"]} aria-hidden>
    <div>
      <span />
    </div>
  </div>
);

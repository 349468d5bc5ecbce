import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import type { TimelineModel, TimelineRow } from "./model.ts";
import type { SpanRow } from "./spans.ts";

const LINE_PX = 23;
const LINE_CHARACTERS = 44;

/** A conversation with more turns or spans than this renders only the rows near the screen. */
const TURNS_MAX = 200;

const SPANS_MAX = 500;
const OVERSCAN = 10;

export type GridItem =
  | { type: "row"; key: string; row: TimelineRow }
  | { type: "span"; key: string; row: SpanRow; turn: number | null; isLast: boolean }
  | { type: "rest"; key: string; count: number };

/** Turn whose spans are open. Null: the spans without a turn are open. Undefined: no spans are open. */
export type OpenSpans = number | null | undefined;

/** The spans of the open turn follow its row; the spans without a turn are at the end. */
export function gridItems(model: TimelineModel, open: OpenSpans): GridItem[] {
  const items: GridItem[] = [];
  const addSpans = (turn: number | null) => {
    const rows = model.spanRows(turn);
    for (const [index, row] of rows.entries()) {
      const { spanId, traceId } = row.span;
      items.push({ type: "span", key: `span ${traceId} ${spanId}`, row, turn, isLast: index === rows.length - 1 });
    }
  };
  for (const row of model.rows) {
    items.push({ type: "row", key: keyOf(row), row });
    if (row.type === "turn" && row.turn.index === open) addSpans(open);
  }
  const count = model.restCount;
  if (count > 0) {
    items.push({ type: "rest", key: "rest", count });
    if (open === null) addSpans(null);
  }
  return items;
}

function keyOf(row: TimelineRow): string {
  if (row.type === "turn") return `turn ${row.turn.index}`;
  if (row.type === "silence") return `silence ${row.silence.fromMs}`;
  return row.type === "unspoken" ? `unspoken ${row.index}` : `speech ${row.period.spanId}`;
}

/** Returns the value of a row's `data-row` attribute; undefined for rows that cannot have the focus. */
export function rowName(item: GridItem): string | undefined {
  if (item.type === "rest") return "rest";
  if (item.type === "span") return `span ${item.row.span.spanId}`;
  return item.row.type === "turn" ? `turn ${item.row.turn.index}` : undefined;
}

function estimatedHeight(item: GridItem): number {
  if (item.type === "span") return 23;
  if (item.type === "rest" || item.row.type !== "turn") return 32;
  const { turn, tools, cuts } = item.row;
  const lines = Math.min(30, Math.ceil((turn.text?.length ?? 1) / LINE_CHARACTERS));
  return 43 + lines * LINE_PX + tools.length * 22 + cuts.length * 22;
}

/** Position to which a revealed row is scrolled. `center` does not scroll if the row is already visible. */
export type RevealPlace = "nearest" | "center";

/** Returns whether the whole row is on the screen, or at least its top is in the upper half of the screen. */
function isInSight(row: Element): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  return top >= 0 && (bottom <= innerHeight || top < innerHeight / 2);
}

export function useShownItems(items: readonly GridItem[], model: TimelineModel, root: RefObject<HTMLElement | null>) {
  const isLong = model.trace.turns.length > TURNS_MAX || model.trace.spans.length > SPANS_MAX;
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const body = root.current?.querySelector("[role=rowgroup]");
    if (body) setTop(body.getBoundingClientRect().top + window.scrollY);
  }, [root, isLong]);
  const estimateSize = useCallback((index: number) => estimatedHeight(items[index]!), [items]);
  const getItemKey = useCallback((index: number) => items[index]!.key, [items]);
  const virtual = useWindowVirtualizer({
    enabled: isLong,
    count: items.length,
    estimateSize,
    getItemKey,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: 120,
    scrollPaddingEnd: 40,
  });
  const reveal = useCallback(
    (index: number, place: RevealPlace = "nearest") => {
      const name = rowName(items[index]!);
      const row = name === undefined ? null : root.current?.querySelector(`[data-row="${CSS.escape(name)}"]`);
      if (place === "center" && row && isInSight(row)) return;
      if (isLong) virtual.scrollToIndex(index, { align: place === "center" ? "center" : "auto" });
      else row?.scrollIntoView({ block: place });
    },
    [isLong, items, virtual, root],
  );
  if (!isLong) return { shown: items.map((_, index) => index), before: 0, after: 0, measure: undefined, reveal };
  const rows = virtual.getVirtualItems();
  return {
    shown: rows.map(({ index }) => index),
    before: (rows[0]?.start ?? top) - top,
    after: Math.max(0, virtual.getTotalSize() - ((rows.at(-1)?.end ?? top) - top)),
    measure: virtual.measureElement,
    reveal,
  };
}

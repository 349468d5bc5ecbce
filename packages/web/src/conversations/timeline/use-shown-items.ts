import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import { estimatedHeight, type GridItem } from "./grid-items.ts";
import type { TimelineModel } from "./model.ts";
import { rowName } from "./use-grid-keys.ts";

/** Above these numbers only the rows near the screen are in the page. */
const TURNS_MAX = 200;
const SPANS_MAX = 500;
const OVERSCAN = 10;

/** Returns which rows are in the page: all of a short conversation, those near the screen of a long one. */
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
    (index: number) => {
      if (isLong) virtual.scrollToIndex(index, { align: "auto" });
      else {
        const name = rowName(items[index]!);
        if (name !== undefined)
          root.current?.querySelector(`[data-row="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "nearest" });
      }
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

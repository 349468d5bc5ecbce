import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";

type VirtualRowsProps = {
  count: number;
  /** The usual height of a row in pixels; rows are measured when they are shown. */
  rowPx: number;
  render: (index: number) => ReactNode;
  /** Called when the end of the list comes near. */
  onEnd?: () => void;
};

const OVERSCAN = 12;
const NEAR_END_ROWS = 20;

/** Rows of a long list in a scrolling page: only those near the screen are in the document. */
export function VirtualRows({ count, rowPx, render, onEnd }: VirtualRowsProps) {
  const place = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: place.current?.offsetTop ?? 0,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (count > 0 && last >= count - NEAR_END_ROWS) onEnd?.();
  }, [last, count, onEnd]);
  return (
    <div ref={place} role="presentation" style={{ position: "relative", height: rows.getTotalSize() }}>
      {shown.map(({ key, index, start }) => (
        <div
          key={key}
          ref={rows.measureElement}
          data-index={index}
          role="presentation"
          style={{
            position: "absolute",
            top: 0,
            left: 0,
            right: 0,
            transform: `translateY(${start - rows.options.scrollMargin}px)`,
          }}
        >
          {render(index)}
        </div>
      ))}
    </div>
  );
}

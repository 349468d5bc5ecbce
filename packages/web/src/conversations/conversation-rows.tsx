import type { ListedTrace } from "@svc/contract";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { usePlace } from "../shell/place.ts";
import { ConversationRow } from "./conversation-row.tsx";
import styles from "./conversation-rows.module.css";
import type { ListSearch } from "./list-search.ts";
import type { Selection } from "./use-selection.ts";

const NARROW = "(max-width: 48rem)";
const OVERSCAN = 12;
const NEAR_END = 20;

type ConversationRowsProps = {
  rows: readonly ListedTrace[];
  sort: ListSearch["sort"];
  current: number | undefined;
  selection: Selection;
  /** Called when the end of the rows is near the screen. */
  onEnd: () => void;
};

/** Only the rows near the screen are rendered. */
export function ConversationRows({ rows, sort = "-startedAt", current, selection, onEnd }: ConversationRowsProps) {
  const { params } = usePlace();
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  }, []);
  const [rowPx] = useState(() => (matchMedia(NARROW).matches ? 85 : 53));
  const getItemKey = useCallback((index: number) => rows[index]!.traceId, [rows]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    getItemKey,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: 90,
    scrollPaddingEnd: 20,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR_END) onEnd();
  }, [last, rows.length, onEnd]);
  useEffect(() => {
    if (current !== undefined) virtual.scrollToIndex(current, { align: "auto" });
  }, [current, virtual]);

  const before = (items[0]?.start ?? top) - top;
  const after = Math.max(0, virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top));
  return (
    <div className={styles["wrap"]}>
      <table className={styles["table"]} aria-rowcount={rows.length + 1}>
        <caption className="visually-hidden">Conversations</caption>
        <thead>
          <tr>
            <th scope="col" className={styles["headSelect"]}>
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={selection.ids.size > 0 && rows.every(({ traceId }) => selection.ids.has(traceId))}
                onChange={selection.toggleAll}
              />
            </th>
            <Head name="Started" by="startedAt" sort={sort} />
            <th scope="col" className={styles["headAgent"]}>
              Agent
            </th>
            <th scope="col">
              {rows.some(({ searchMatch }) => searchMatch !== null) ? "Words found" : "First words or summary"}
            </th>
            <th scope="col" className={styles["headNumber"]}>
              Turns
            </th>
            <th scope="col" className={styles["headNumber"]}>
              Tools
            </th>
            <th scope="col" className={styles["headNumber"]}>
              Errors
            </th>
            <Head name="Length" by="duration" sort={sort} className={styles["headLength"]} />
            <Head name="Slowest answer" by="slowest" sort={sort} className={styles["headLatency"]} />
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <Space height={before} />}
          {items.map(({ index, key }) => (
            <ConversationRow
              key={key}
              trace={rows[index]!}
              index={index}
              isCurrent={index === current}
              isSelected={selection.ids.has(rows[index]!.traceId)}
              onSelect={selection.toggle}
              params={params}
            />
          ))}
          {after > 0 && <Space height={after} />}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps = { name: string; by: string; sort: string; className?: string | undefined };

function Head({ name, by, sort, className }: HeadProps) {
  const isDown = sort === `-${by}`;
  const isSorted = isDown || sort === by;
  const Icon = isDown ? ArrowDown : ArrowUp;
  return (
    <th scope="col" className={className} aria-sort={isSorted ? (isDown ? "descending" : "ascending") : undefined}>
      {name} {isSorted && <Icon size={12} aria-hidden />}
    </th>
  );
}

const Space = ({ height }: { height: number }) => (
  <tr className={styles["space"]} aria-hidden>
    <td colSpan={9} style={{ height }} />
  </tr>
);

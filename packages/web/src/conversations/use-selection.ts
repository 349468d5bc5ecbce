import { useCallback, useEffect, useMemo, useRef, useState } from "react";

export type Selection = {
  ids: ReadonlySet<string>;
  /** Selects the row, or takes it out. With `isRange`, all rows from the one before become like this row. */
  toggle: (index: number, isRange?: boolean) => void;
  toggleAll: () => void;
  clear: () => void;
};

/** Selection of rows by their ids. It is empty again when the list is another one. */
export function useSelection(rowIds: readonly string[], listKey: string): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string>(undefined);
  const current = useRef(rowIds);
  current.current = rowIds;
  const clear = useCallback(() => setIds(new Set()), []);
  useEffect(clear, [listKey, clear]);

  const toggle = useCallback((index: number, isRange = false) => {
    const id = current.current[index]!;
    // New rows move the others, so the row before is found by its id.
    const from = isRange && anchor.current !== undefined ? current.current.indexOf(anchor.current) : -1;
    const changed = from === -1 ? [id] : current.current.slice(Math.min(from, index), Math.max(from, index) + 1);
    anchor.current = id;
    setIds((before) => (before.has(id) ? without(before, changed) : new Set([...before, ...changed])));
  }, []);
  const toggleAll = useCallback(
    () => setIds((before) => (current.current.every((id) => before.has(id)) ? new Set() : new Set(current.current))),
    [],
  );
  return useMemo(() => ({ ids, toggle, toggleAll, clear }), [ids, toggle, toggleAll, clear]);
}

const without = (ids: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !removed.includes(id)));

import { useNavigate, useSearch } from "@tanstack/react-router";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { countOf, oneOf, textOf } from "../../search-params.ts";
import { AXES, type Axis, type Interval, pan, zoom } from "./axis.ts";

const SAVE_MS = 250;
const DRAG_PIXELS = 4;
const WHEEL = 0.0022;

/** The range is in milliseconds. */
type TimelineSearch<Tab extends string = string> = {
  tab?: Tab | undefined;
  turn?: number | undefined;
  span?: string | undefined;
  axis?: Axis | undefined;
  from?: number | undefined;
  until?: number | undefined;
};

export function readTimelineSearch<Tab extends string>(
  search: Record<string, unknown>,
  tabs: readonly Tab[],
): TimelineSearch<Tab> {
  const [from, until] = [millisecondsOf(search["from"]), millisecondsOf(search["until"])];
  const isRange = from !== undefined && until !== undefined && until > from;
  return {
    tab: oneOf(tabs, search["tab"]),
    turn: countOf(search["turn"]),
    span: textOf(search["span"]),
    axis: oneOf(AXES, search["axis"]),
    from: isRange ? from : undefined,
    until: isRange ? until : undefined,
  };
}

function millisecondsOf(value: unknown): number | undefined {
  const text = String(value);
  return /^-?\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** A change replaces the history entry, so that Back leaves the page. */
export function useTimelineView() {
  const search = useSearch({ strict: false }) as TimelineSearch;
  const navigate = useNavigate();
  const change = useCallback(
    (changed: TimelineSearch) =>
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return { ...search, change };
}

/**
 * In the element's `[data-plot]` children, Ctrl with the wheel zooms, and a drag moves the range. The range changes at once, the
 * address a moment later.
 */
export function useRange(root: RefObject<HTMLElement | null>, whole: Interval) {
  const { from, until, change: changeAddress } = useTimelineView();
  const saved = useMemo(
    () => (from === undefined || until === undefined ? undefined : { fromMs: from, untilMs: until }),
    [from, until],
  );
  const save = (range: Interval | undefined) =>
    changeAddress({ from: range && Math.round(range.fromMs), until: range && Math.round(range.untilMs) });
  const [draft, setDraft] = useState<Interval>();
  const shown = draft ?? clipped(saved, whole);
  const state = useRef({ shown, whole, save });
  state.current = { shown, whole, save };
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setDraft(undefined), [saved]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = useCallback((range: Interval) => {
    setDraft(range);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const { whole: all, save: keep } = state.current;
      const isWhole = range.fromMs <= all.fromMs && range.untilMs >= all.untilMs;
      keep(isWhole ? undefined : range);
      if (isWhole) setDraft(undefined);
    }, SAVE_MS);
  }, []);

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const plotOf = (target: EventTarget | null) =>
      (target as Element | null)?.closest<HTMLElement>("[data-plot]") ?? null;
    const onWheel = (event: WheelEvent) => {
      const plot = plotOf(event.target);
      if (plot === null) return;
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const { shown: range, whole: all } = state.current;
      const { left, width } = plot.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const at = Math.min(Math.max((event.clientX - left) / width, 0), 1);
        change(zoom(range, all, at, Math.exp(event.deltaY * WHEEL)));
      } else if (isSideways && range.untilMs - range.fromMs < all.untilMs - all.fromMs) {
        event.preventDefault();
        change(pan(range, all, event.deltaX / width));
      }
    };
    const onDown = (event: PointerEvent) => {
      const plot = plotOf(event.target);
      const { shown: start, whole: all } = state.current;
      const isWhole = start.untilMs - start.fromMs >= all.untilMs - all.fromMs;
      if (plot === null || isWhole || event.button !== 0) return;
      const { width } = plot.getBoundingClientRect();
      let hasMoved = false;
      const onMove = (move: PointerEvent) => {
        const by = move.clientX - event.clientX;
        if (!hasMoved && Math.abs(by) < DRAG_PIXELS) return;
        hasMoved = true;
        change(pan(start, all, -by / width));
      };
      const onUp = () => {
        removeEventListener("pointermove", onMove);
        // The click that ends a drag must not select a turn.
        if (hasMoved) addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
      };
      addEventListener("pointermove", onMove);
      addEventListener("pointerup", onUp, { once: true });
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("pointerdown", onDown);
    return () => {
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("pointerdown", onDown);
    };
  }, [root, change]);

  return {
    range: shown,
    isWhole: shown.fromMs <= whole.fromMs && shown.untilMs >= whole.untilMs,
    reset: () => {
      clearTimeout(timer.current);
      setDraft(undefined);
      save(undefined);
    },
  };
}

function clipped(saved: Interval | undefined, whole: Interval): Interval {
  if (saved === undefined || saved.untilMs <= whole.fromMs || saved.fromMs >= whole.untilMs) return whole;
  return { fromMs: Math.max(saved.fromMs, whole.fromMs), untilMs: Math.min(saved.untilMs, whole.untilMs) };
}

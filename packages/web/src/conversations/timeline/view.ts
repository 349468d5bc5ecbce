import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { countOf, oneOf } from "../../search-params.ts";
import { AXES, type Axis } from "./axis.ts";
import type { Interval } from "./clock.ts";

/** The parts of a timeline that the address keeps. The range is in milliseconds. */
export type TimelineSearch = {
  turn?: number | undefined;
  axis?: Axis | undefined;
  from?: number | undefined;
  until?: number | undefined;
};

/** The state of a timeline and the functions that change it. */
export type TimelineView = {
  turn: number | undefined;
  axis: Axis;
  range: Interval | undefined;
  selectTurn(turn: number | undefined): void;
  setAxis(axis: Axis): void;
  setRange(range: Interval | undefined): void;
};

/** Returns the search parameters of a timeline; unknown values are left out. */
export function readTimelineSearch(search: Record<string, unknown>): TimelineSearch {
  const [from, until] = [millisecondsOf(search["from"]), millisecondsOf(search["until"])];
  const isRange = from !== undefined && until !== undefined && until > from;
  return {
    turn: countOf(search["turn"]),
    axis: oneOf(AXES, search["axis"]),
    from: isRange ? from : undefined,
    until: isRange ? until : undefined,
  };
}

function millisecondsOf(value: unknown): number | undefined {
  const text = String(value);
  return /^-?\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** Returns the state of the timeline that the address keeps. Changes replace the address, so that Back leaves the page. */
export function useTimelineView(): TimelineView {
  const { turn, axis = "call", from, until } = useSearch({ strict: false }) as TimelineSearch;
  const navigate = useNavigate();
  return useMemo(() => {
    const change = (changed: TimelineSearch) =>
      void navigate({
        to: ".",
        search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
        replace: true,
        resetScroll: false,
      });
    return {
      turn,
      axis,
      range: from === undefined || until === undefined ? undefined : { fromMs: from, untilMs: until },
      selectTurn: (selected) => change({ turn: selected }),
      setAxis: (selected) =>
        change({ axis: selected === "call" ? undefined : selected, from: undefined, until: undefined }),
      setRange: (range) =>
        change({ from: range && Math.round(range.fromMs), until: range && Math.round(range.untilMs) }),
    };
  }, [turn, axis, from, until, navigate]);
}

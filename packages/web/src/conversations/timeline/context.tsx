import type { Grade, Trace } from "@svc/contract";
import { createContext, type ReactNode, type RefObject, use, useCallback, useMemo, useRef, useState } from "react";
import { defaultTurn } from "./answers.ts";
import type { Axis } from "./axis.ts";
import { type Mark, marksOfGrades } from "./marks.ts";
import { type TimelineModel, timelineOf } from "./model.ts";
import { useTimelineView } from "./view.ts";

/** The conversation of a page. It stays the same while a person selects turns and zooms, so that no row renders again. */
type TimelineState = {
  model: TimelineModel;
  axis: Axis;
  /** Selects a turn for the recording and plays it from a time of the conversation; undefined without a recording. */
  playMoment: RefObject<((turn: number, ms: number) => void) | undefined>;
  /** A fact of a tool call, such as "mocked", by its index in the conversation. */
  toolFacts: ReadonlyMap<number, string> | undefined;
};

/** The grades of a page, the words that support them, and the selected one. */
type SelectionState = {
  marks: readonly Mark[];
  /** The numbers of the grades that quote a turn. */
  numbers: ReadonlyMap<string, number>;
  selectedMark: string | undefined;
  /** Selects a grade and the turn, by default the first that its evidence names. */
  selectMark(id: string, turn?: number): void;
  /** The tab of the selected turn in the address; undefined when it is the first. */
  turnTab: string | undefined;
};

const TimelineContext = createContext<TimelineState | undefined>(undefined);
const SelectionContext = createContext<SelectionState | undefined>(undefined);

type TimelineProviderProps = {
  /** Undefined until it is known. */
  conversation: Trace | undefined;
  grades: readonly Grade[];
  toolFacts?: ReadonlyMap<number, string>;
  turnTab?: string;
  /** Returns the tab of a grade in the address. */
  gradeTab: (grade: Grade | undefined) => string | undefined;
  children: ReactNode;
};

/** Gives the parts of a page its conversation, its grades and the selected one. */
export function TimelineProvider({
  conversation,
  grades,
  toolFacts,
  turnTab,
  gradeTab,
  children,
}: TimelineProviderProps) {
  const { axis: wanted = "call", change } = useTimelineView();
  const model = useMemo(() => conversation && timelineOf(conversation), [conversation]);
  const axis = model?.hasAnswerAxis === true && !model.isApproximate ? wanted : "call";
  const playMoment = useRef<(turn: number, ms: number) => void>(undefined);
  const timeline = useMemo(() => model && { model, axis, toolFacts, playMoment }, [model, axis, toolFacts]);
  const [selectedMark, setSelectedMark] = useState<string>();
  const { numbers, marks } = useMemo(() => marksOfGrades(grades), [grades]);
  const selectMark = useCallback(
    (id: string, turn = marks.find((each) => each.id === id)?.turn) => {
      setSelectedMark(id);
      change({ tab: gradeTab(grades.find((each) => each.id === id)), ...(turn !== undefined && { turn }) });
    },
    [marks, grades, gradeTab, change],
  );
  const selection = useMemo(
    () => ({ marks, numbers, selectedMark, selectMark, turnTab }),
    [marks, numbers, selectedMark, selectMark, turnTab],
  );
  return (
    <SelectionContext value={selection}>
      <TimelineContext value={timeline}>{children}</TimelineContext>
    </SelectionContext>
  );
}

/** Returns the conversation of the page; undefined until it is known. */
export const useKnownTimeline = (): TimelineState | undefined => use(TimelineContext);

/** Returns the conversation of the page, for a part that is on the page only when it is known. */
export const useTimeline = (): TimelineState => use(TimelineContext)!;

/** Returns the grades of the page and the selected one. */
export const useSelection = (): SelectionState => use(SelectionContext)!;

/** A moment begins a little earlier, so that one hears how it comes to it. */
const MOMENT_LEAD_MS = 1_000;

/** Returns a function that shows a moment of a turn on the call's axis, and plays the recording from a second before it. */
export function useShowMoment(): (turn: number, atMs: number) => void {
  const playMoment = useKnownTimeline()?.playMoment;
  const { change } = useTimelineView();
  return useCallback(
    (turn, atMs) => {
      playMoment?.current?.(turn, atMs - MOMENT_LEAD_MS);
      change({ turn, span: undefined, axis: undefined, from: undefined, until: undefined });
    },
    [change, playMoment],
  );
}

/** Returns the turn that the page shows, and whether the address or a verdict names it. */
export function useShownTurn(): { turn: number | undefined; isNamed: boolean } {
  const { turn } = useTimelineView();
  const { marks, turnTab } = useSelection();
  const model = useKnownTimeline()?.model;
  const first = useMemo(() => model && defaultTurn(model.trace), [model]);
  // A page whose first tab has verdicts begins at the words of the first one.
  const named = turn ?? (turnTab === undefined ? undefined : marks[0]?.turn);
  return { turn: named ?? first, isNamed: named !== undefined };
}

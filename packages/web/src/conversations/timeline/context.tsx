import type { Grade, Trace } from "@svc/contract";
import { createContext, type ReactNode, type RefObject, use, useCallback, useMemo, useRef, useState } from "react";
import { defaultTurn } from "./answers.ts";
import type { Axis } from "./axis.ts";
import { type Mark, marksOfGrades } from "./marks.ts";
import { type TimelineModel, timelineOf } from "./model.ts";
import { useTimelineView } from "./view.ts";

/** Does not change when the user selects a turn or zooms, so that rows are then not rendered again. */
type TimelineState = {
  model: TimelineModel;
  axis: Axis;
  /** Plays the recording from a time in the conversation, for a turn that the caller selects. Undefined if there is no recording. */
  playMoment: RefObject<((turn: number, ms: number) => void) | undefined>;
  /** A fact about a tool call, such as "mocked", by the call's index in the conversation. */
  toolFacts: ReadonlyMap<number, string> | undefined;
};

type Shown = { id: string; to: "words" | "verdict" };

type SelectionState = {
  marks: readonly Mark[];
  /** Numbers of the grades that quote a turn, by `gradeKey`. */
  numbers: ReadonlyMap<string, number>;
  selectedMark: string | undefined;
  /** What the page scrolls to. A selection that is repeated is another value, so that the page scrolls again. */
  shown: Shown | undefined;
  /** Without a turn, selects the first turn of the grade's evidence. */
  selectMark(id: string, to: Shown["to"], turn?: number): void;
  /** Tab of the selected turn, as named in the address; undefined if it is the page's first tab. */
  turnTab: string | undefined;
};

const TimelineContext = createContext<TimelineState | undefined>(undefined);
const SelectionContext = createContext<SelectionState | undefined>(undefined);

type TimelineProviderProps = {
  /** Undefined until it has loaded. */
  conversation: Trace | undefined;
  grades: readonly Grade[];
  toolFacts?: ReadonlyMap<number, string>;
  turnTab?: string;
  /** Returns the name of a grade's tab in the address. */
  gradeTab: (grade: Grade | undefined) => string | undefined;
  children: ReactNode;
};

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
  const [shown, setShown] = useState<Shown>();
  const selectedMark = shown?.id;
  const { numbers, marks } = useMemo(() => marksOfGrades(grades), [grades]);
  const selectMark = useCallback(
    (id: string, to: Shown["to"], turn = marks.find((each) => each.id === id)?.turn) => {
      setShown({ id, to });
      change({ tab: gradeTab(grades.find((each) => each.id === id)), ...(turn !== undefined && { turn }) });
    },
    [marks, grades, gradeTab, change],
  );
  const selection = useMemo(
    () => ({ marks, numbers, selectedMark, shown, selectMark, turnTab }),
    [marks, numbers, selectedMark, shown, selectMark, turnTab],
  );
  return (
    <SelectionContext value={selection}>
      <TimelineContext value={timeline}>{children}</TimelineContext>
    </SelectionContext>
  );
}

/** Returns undefined until the conversation has loaded. */
export const useKnownTimeline = (): TimelineState | undefined => use(TimelineContext);

/** Only for parts that are rendered after the conversation has loaded. */
export const useTimeline = (): TimelineState => use(TimelineContext)!;

export const useSelection = (): SelectionState => use(SelectionContext)!;

/** Time between the start of playback and a moment, so that people hear what led to the moment. */
const MOMENT_LEAD_MS = 1_000;

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

/** `isNamed` is true if the address or a verdict selected it. */
export function useShownTurn(): { turn: number | undefined; isNamed: boolean } {
  const { turn } = useTimelineView();
  const { marks, turnTab } = useSelection();
  const model = useKnownTimeline()?.model;
  const first = useMemo(() => model && defaultTurn(model.trace), [model]);
  // A page whose first tab shows verdicts initially shows the turn of the first verdict's evidence.
  const named = turn ?? (turnTab === undefined ? undefined : marks[0]?.turn);
  return { turn: named ?? first, isNamed: named !== undefined };
}

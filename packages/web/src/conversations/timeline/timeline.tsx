import type { Trace } from "@svc/contract";
import { type CSSProperties, type ReactNode, useCallback, useMemo, useRef } from "react";
import { classes } from "../../ui/classes.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { useKeys } from "../../ui/use-keys.ts";
import { SoundBar } from "../sound/sound-bar.tsx";
import { type PlayableRecording, soundOf } from "../sound/recording.ts";
import { useSound } from "../sound/use-sound.ts";
import { answerRange, type Axis, callRange, callTime, percent, ticksOf } from "./axis.ts";
import { defaultTurn } from "./answers.ts";
import { Legend } from "./bars.tsx";
import type { Mark } from "./marks.ts";
import { Ruler } from "./ruler.tsx";
import { timelineOf } from "./model.ts";
import { Grid } from "./grid.tsx";
import styles from "./timeline.module.css";
import { type TimelineView, useRange } from "./view.ts";

export type { Mark } from "./marks.ts";

const AXIS_NAMES: { value: Axis; label: string }[] = [
  { value: "call", label: "Call time" },
  { value: "answer", label: "From the caller’s last word" },
];
const NO_MARKS: readonly Mark[] = [];

type TimelineProps = {
  conversation: Trace;
  view: TimelineView;
  /** Words that support verdicts. */
  marks?: readonly Mark[];
  selectedMark?: string | undefined;
  onSelectMark?: (id: string) => void;
  /** A fact of a tool call, such as "mocked", by its index in the conversation. */
  toolFacts?: ReadonlyMap<number, string>;
  /** The selected span, and what happens when a span is selected. */
  span?: string | undefined;
  onSelectSpan?: (spanId: string | undefined) => void;
  inspector: ReactNode;
  /** The sentence under the last turn. */
  ending?: ReactNode;
  below?: ReactNode;
  /** The recording of the conversation, or the reason why it is missing; null without one. */
  recording?: PlayableRecording | null | undefined;
};

/** One conversation: the transcript and the waterfall with one time axis, beside the inspector. */
export function Timeline(props: TimelineProps) {
  const { conversation, view, marks = NO_MARKS, inspector, ending, below, recording } = props;
  const model = useMemo(() => timelineOf(conversation), [conversation]);
  const firstTurn = useMemo(() => defaultTurn(conversation), [conversation]);
  const axis = model.hasAnswerAxis && !model.isApproximate ? view.axis : "call";
  const sound = useMemo(() => soundOf(recording, conversation), [recording, conversation]);
  const endMs = Math.max(model.endMs, sound === undefined ? 0 : sound.offsetMs + sound.durationMs);
  const whole = useMemo(
    () => (axis === "call" ? callRange(endMs) : answerRange(model.slowestMs)),
    [axis, endMs, model.slowestMs],
  );
  const root = useRef<HTMLDivElement>(null);
  const { range, isWhole, reset } = useRange({ root, whole, saved: view.range, save: view.setRange });
  const ticks = useMemo(() => ticksOf(range, axis), [range, axis]);
  const viewNow = useRef(view);
  viewNow.current = view;
  const layer = useRef<HTMLDivElement>(null);
  const { player, heard, seekTurn } = useSound({ sound, model, layer, turn: view.turn });
  const selectTurn = useCallback(
    (turn: number | undefined) => {
      viewNow.current.selectTurn(turn);
      if (turn !== undefined) seekTurn(turn);
    },
    [seekTurn],
  );
  useKeys({
    x: () => {
      if (model.hasAnswerAxis && !model.isApproximate) view.setAxis(axis === "call" ? "answer" : "call");
    },
  });
  const lengthMs = range.untilMs - range.fromMs;
  const onAxis = {
    "--from": range.fromMs,
    "--length": lengthMs,
    "--line-step": percent(ticks.lineStep),
    "--line-offset": percent(ticks.lineStep >= 1 ? 0 : ticks.lineOffset / (1 - ticks.lineStep)),
  } as CSSProperties;
  return (
    <div className={styles["columns"]}>
      <div ref={layer} className={classes(styles["left"], player && styles["withPlayer"])} style={onAxis}>
        {recording && (
          <SoundBar player={player} recording={recording.recording} range={axis === "call" ? range : undefined} />
        )}
        <Grid
          model={model}
          axis={axis}
          root={root}
          ruler={
            <Ruler
              model={model}
              axis={axis}
              ticks={ticks}
              lengthMs={whole.untilMs - whole.fromMs}
              isZoomed={!isWhole}
              choice={<AxisChoice model={model} axis={axis} onChange={view.setAxis} />}
              onWhole={reset}
            />
          }
          turn={view.turn ?? firstTurn}
          isTurnInAddress={view.turn !== undefined}
          span={props.span}
          onSelectTurn={selectTurn}
          onSelectSpan={props.onSelectSpan}
          marks={marks}
          selectedMark={props.selectedMark}
          onSelectMark={props.onSelectMark}
          toolFacts={props.toolFacts}
          heard={heard}
        />
        <div className={styles["foot"]}>
          <div>{ending ?? <Ending isOver={conversation.complete} endMs={model.endMs} isPlain={model.isPlain} />}</div>
          <Legend model={model} />
        </div>
        {below}
      </div>
      <aside className={styles["inspector"]} aria-label="Details">
        {inspector}
      </aside>
    </div>
  );
}

type AxisChoiceProps = { model: ReturnType<typeof timelineOf>; axis: Axis; onChange: (axis: Axis) => void };

function AxisChoice({ model, axis, onChange }: AxisChoiceProps) {
  if (model.isTyped) return "The caller types, so bars are the time that the agent takes";
  if (model.isPlain) return "The spans show no speech; bars are the time that the agent takes";
  if (model.isApproximate) return "Times of words, approximate";
  if (!model.hasAnswerAxis) return null;
  return <Segmented label="Axis" options={AXIS_NAMES} value={axis} onChange={onChange} />;
}

function Ending({ isOver, endMs, isPlain }: { isOver: boolean; endMs: number; isPlain: boolean }) {
  if (!isOver) return "The conversation goes on, or its last spans have not arrived.";
  return isPlain ? "The conversation is over." : `The session closed at ${callTime(endMs)}.`;
}

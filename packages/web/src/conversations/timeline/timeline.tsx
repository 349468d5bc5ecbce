import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef } from "react";
import { classes } from "../../ui/classes.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { useKeys } from "../../ui/use-keys.ts";
import { SoundBar } from "../sound/player.tsx";
import { soundOf, useRecording, useSound } from "../sound/use-sound.ts";
import { answerRange, type Axis, callRange, callTime, percent, type Ticks, ticksOf } from "./axis.ts";
import { useShowMoment, useTimeline } from "./context.tsx";
import { hasThirdParty, Lanes, Legend } from "./bars.tsx";
import type { TimelineModel } from "./model.ts";
import { Grid } from "./grid.tsx";
import { useRange, useTimelineView } from "./view.ts";
import { Button } from "../../ui/button.tsx";
import gridStyles from "./timeline.module.css";
import styles from "./page.module.css";

const AXIS_NAMES: { value: Axis; label: string }[] = [
  { value: "call", label: "Call time" },
  { value: "answer", label: "From the caller’s last word" },
];

type TimelineProps = {
  inspector: ReactNode;
  /** Sentence below the last turn. */
  ending?: ReactNode;
  below?: ReactNode;
};

/** One conversation: its transcript and its waterfall on one time axis, with the inspector beside them. */
export function Timeline({ inspector, ending, below }: TimelineProps) {
  const { model, axis, playMoment: playsMoment } = useTimeline();
  const { turn, change } = useTimelineView();
  const recording = useRecording(model.trace.traceId);
  const sound = useMemo(() => soundOf(recording, model.trace), [recording, model.trace]);
  const endMs = Math.max(model.endMs, sound === undefined ? 0 : sound.offsetMs + sound.durationMs);
  const whole = useMemo(
    () => (axis === "call" ? callRange(endMs) : answerRange(model.slowestMs)),
    [axis, endMs, model.slowestMs],
  );
  const root = useRef<HTMLDivElement>(null);
  const { range, isWhole, reset } = useRange(root, whole);
  const ticks = useMemo(() => ticksOf(range, axis), [range, axis]);
  const layer = useRef<HTMLDivElement>(null);
  const { player, heard, seekTurn, playMoment } = useSound({ sound, model, layer, turn });
  useEffect(() => {
    playsMoment.current = playMoment;
    return () => void (playsMoment.current = undefined);
  }, [playsMoment, playMoment]);
  const showMoment = useShowMoment();
  const shownCut = useRef<number>(undefined);
  const setAxis = (selected: Axis) =>
    change({ axis: selected === "call" ? undefined : selected, from: undefined, until: undefined });
  useKeys({
    i: () => {
      const cuts = model.turnRows.flatMap(({ cuts: own }) => own);
      const next = cuts.find(({ atMs }) => atMs > (shownCut.current ?? -Infinity)) ?? cuts[0];
      if (next === undefined) return;
      shownCut.current = next.atMs;
      showMoment(next.turn, next.atMs);
    },
    x: () => {
      if (model.hasAnswerAxis && !model.isApproximate) setAxis(axis === "call" ? "answer" : "call");
    },
  });
  const onAxis = {
    "--from": range.fromMs,
    "--length": range.untilMs - range.fromMs,
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
          root={root}
          ruler={
            <Ruler
              ticks={ticks}
              lengthMs={whole.untilMs - whole.fromMs}
              isZoomed={!isWhole}
              choice={<AxisChoice model={model} axis={axis} onChange={setAxis} />}
              onWhole={reset}
            />
          }
          heard={heard}
          seekTurn={seekTurn}
        />
        <div className={styles["foot"]}>
          <div>{ending ?? <Ending isOver={model.trace.complete} endMs={model.endMs} isPlain={model.isPlain} />}</div>
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

type AxisChoiceProps = { model: TimelineModel; axis: Axis; onChange: (axis: Axis) => void };

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

type RulerProps = {
  ticks: Ticks;
  lengthMs: number;
  isZoomed: boolean;
  /** The control that selects the axis. */
  choice: ReactNode;
  onWhole: () => void;
};

/** The head of the timeline stays visible while the page scrolls. */
function Ruler({ ticks, lengthMs, isZoomed, choice, onWhole }: RulerProps) {
  const { model, axis } = useTimeline();
  const isSimple = model.isPlain || axis === "answer";
  return (
    <div role="row" className={classes(gridStyles["row"], gridStyles["ruler"], model.isPlain && gridStyles["simple"])}>
      <div role="columnheader" className={gridStyles["said"]}>
        <span className={gridStyles["choice"]}>{choice}</span>
        {isZoomed && (
          <Button look="quiet" small onClick={onWhole}>
            Whole call
          </Button>
        )}
        {!isSimple && !isZoomed && (
          <span className={gridStyles["lanes"]} aria-hidden>
            <span style={{ color: "var(--caller)" }}>Caller</span>
            <span style={{ color: "var(--agent)" }}>Agent</span>
            {hasThirdParty(model) && <span style={{ color: "var(--series-3)" }}>Third party</span>}
          </span>
        )}
      </div>
      <div role="columnheader" aria-label="Time" className={gridStyles["time"]}>
        <div data-plot className={gridStyles["plot"]}>
          {!isSimple && <Lanes model={model} lengthMs={lengthMs} />}
          {axis === "answer" && <span className={gridStyles["zero"]} />}
          {ticks.labels.map(({ at, text }) => (
            <span key={text} className={gridStyles["label"]} style={{ left: percent(at) }}>
              {text}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

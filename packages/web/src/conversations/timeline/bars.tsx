import type { Turn } from "@svc/contract";
import { type CSSProperties, memo, useMemo } from "react";
import { classes } from "../../ui/classes.ts";
import { formatMs } from "../../ui/format.ts";
import type { Axis, Interval } from "./axis.ts";
import styles from "./bars.module.css";
import type { BarKind } from "./spans.ts";
import type { Bar, TimelineModel, TurnRow } from "./model.ts";
import { type AnswerPart, waitInterval } from "./answers.ts";
import gridStyles from "./timeline.module.css";

const CLASSES: Record<BarKind, string> = {
  caller: "caller",
  agent: "agent",
  third_party: "third_party",
  work: "work",
  wait: "wait",
  model: "model",
  speech: "speech",
  tool: "toolBar",
  rest: "rest",
  failed: "failedBar",
  silence: "silence",
};

const NAMES: [BarKind, string][] = [
  ["caller", "Caller speaks"],
  ["agent", "Agent speaks"],
  ["third_party", "Third party speaks"],
  ["work", "Agent answers"],
  ["wait", "Waiting for the turn’s end"],
  ["model", "Language model"],
  ["speech", "Speech synthesis"],
  ["tool", "Tool"],
  ["failed", "Failed"],
  ["silence", "Silence"],
];

const PLAIN_NAMES: Partial<Record<BarKind, string>> = { caller: "Caller writes", agent: "Agent answers" };

export const PART_NAMES: Record<AnswerPart["kind"], string> = {
  wait: "End of utterance",
  rest: "Rest",
  model: "LLM first token",
  speech: "TTS first byte",
};

export const barClass = (kind: BarKind): string | undefined => styles[CLASSES[kind]];

/** Only the axis element sets `--from` and `--length`, so a zoom does not render bars again. */
export const onAxis = ({ fromMs, untilMs }: Interval, more?: CSSProperties): CSSProperties =>
  ({ "--at": String(fromMs), "--for": String(Math.max(0, untilMs - fromMs)), ...more }) as CSSProperties;

type BarsProps = {
  bars: readonly Bar[];
  /** In pixels from the top of the row. */
  top: number;
  thin?: boolean;
  /** Time at position 0 of the axis. */
  zeroMs?: number;
};

export function Bars({ bars, top, thin = false, zeroMs = 0 }: BarsProps) {
  return bars.map(({ kind, label, fromMs, untilMs }, index) => (
    <i
      key={index}
      className={classes(styles["bar"], thin && styles["thin"], barClass(kind))}
      style={onAxis({ fromMs: fromMs - zeroMs, untilMs: untilMs - zeroMs }, { top })}
      title={label}
    />
  ));
}

export function Legend({ model }: { model: TimelineModel }) {
  const kinds = new Set<BarKind>();
  for (const row of model.rows) {
    if (row.type === "silence") kinds.add("silence");
    if (row.type === "turn") for (const { kind } of [...row.voice, ...row.calls]) kinds.add(kind);
  }
  return (
    <div className={styles["legend"]}>
      {NAMES.map(
        ([kind, name]) =>
          kinds.has(kind) && (
            <span key={kind}>
              <i className={barClass(kind)} />
              {model.isPlain ? (PLAIN_NAMES[kind] ?? name) : name}
            </span>
          ),
      )}
    </div>
  );
}

/** `share` is the length of the bar relative to the scale of the conversation. Undefined makes the bar as wide as its place. */
export function AnswerParts({ parts, share }: { parts: readonly AnswerPart[]; share?: number }) {
  const isSmall = share !== undefined;
  return (
    <span
      className={isSmall ? styles["answerBar"] : styles["answerBarLarge"]}
      style={isSmall ? { width: `${Math.max(0.02, Math.min(1, share)) * 5.5}rem` } : undefined}
      aria-hidden
    >
      {parts.map(({ kind, ms }) => (
        <i key={kind} className={barClass(kind)} style={{ flexGrow: ms }} title={PART_NAMES[kind]} />
      ))}
    </span>
  );
}

/** In pixels from the top of the row. */
const TOP = { bracket: 4, caller: 9, wait: 13, calls: 14, voice: 26, typedCalls: 30 };

export function TurnPlot({ row, model, axis }: { row: TurnRow; model: TimelineModel; axis: Axis }) {
  if (axis === "answer") return <AnswerPlot row={row} model={model} />;
  const { turn, answer, bands, voice, calls } = row;
  const isAgent = turn.role === "agent";
  const top = model.isPlain || !isAgent ? TOP.caller : TOP.voice;
  return (
    <div data-plot className={gridStyles["plot"]}>
      {bands.map((band) => (
        <span
          key={band.fromMs}
          className={styles["band"]}
          style={onAxis(band)}
          title={`Interruption: both speak for ${formatMs(band.untilMs - band.fromMs)}`}
        />
      ))}
      <Bars bars={voice} top={top} />
      <Bars bars={calls} top={isAgent ? (model.isPlain ? TOP.typedCalls : TOP.calls) : TOP.wait} thin />
      {answer !== null && !model.isPlain && answer.heardMs > answer.zeroMs && (
        <span
          className={styles["bracket"]}
          style={onAxis({ fromMs: answer.zeroMs, untilMs: answer.heardMs }, { top: TOP.bracket })}
        />
      )}
    </div>
  );
}

/** The caller's last word is at 0. */
function AnswerPlot({ row, model }: { row: TurnRow; model: TimelineModel }) {
  const { answer } = row;
  if (answer === null)
    return (
      <div data-plot className={gridStyles["plot"]}>
        <span className={gridStyles["zero"]} />
      </div>
    );
  const { zeroMs, heardMs } = answer;
  const wait = waitInterval(answer);
  const waits: Bar[] = wait === null ? [] : [{ ...wait, kind: "wait", label: "Waiting for the turn’s end" }];
  const asked = answer.question === null ? undefined : model.turnRows[answer.question];
  const question = asked?.voice.filter(({ fromMs }) => fromMs < zeroMs) ?? [];
  const shown = question.map((bar) => ({ ...bar, untilMs: Math.min(bar.untilMs, zeroMs) }));
  return (
    <div data-plot className={gridStyles["plot"]}>
      <span className={gridStyles["zero"]} />
      <Bars bars={shown} top={TOP.voice} zeroMs={zeroMs} />
      <Bars bars={[...waits, ...row.calls]} top={TOP.calls} zeroMs={zeroMs} thin />
      <Bars bars={row.voice} top={TOP.voice} zeroMs={zeroMs} />
      {heardMs > zeroMs && (
        <span
          className={styles["bracket"]}
          style={onAxis({ fromMs: 0, untilMs: heardMs - zeroMs }, { top: TOP.bracket })}
        />
      )}
    </div>
  );
}

const TWO_LANES: LanePlaces = {
  caller: { top: 4 },
  agent: { top: 15 },
  third_party: { top: 26 },
  tool: { top: 30, height: 5 },
  silence: { top: 8, height: 14 },
};

const THREE_LANES: LanePlaces = {
  caller: { top: 4, height: 9 },
  agent: { top: 14, height: 9 },
  third_party: { top: 24, height: 9 },
  tool: { top: 34, height: 4 },
  silence: { top: 11, height: 14 },
};

/** Bars that are closer than this share of the range are merged, because they look like one bar. */
const NEAR = 0.002;

type LanePlaces = Record<LaneBar["lane"], { top: number; height?: number }>;

/** Overview of the whole call in the timeline's head: who speaks when, the tool calls, and the silences. */
export const Lanes = memo(function Lanes({ model, lengthMs }: { model: TimelineModel; lengthMs: number }) {
  const bars = useMemo(() => laneBars(model, lengthMs), [model, lengthMs]);
  const places = useMemo(() => (hasThirdParty(model) ? THREE_LANES : TWO_LANES), [model]);
  return bars.map(({ lane, kind, ...interval }, index) => (
    <i key={index} className={classes(styles["bar"], barClass(kind))} style={onAxis(interval, places[lane])} />
  ));
});

type LaneBar = Bar & { lane: "caller" | "agent" | "third_party" | "tool" | "silence" };

export function laneBars(model: TimelineModel, lengthMs: number): LaneBar[] {
  const near = lengthMs * NEAR;
  const bars: LaneBar[] = [];
  for (const row of model.rows) {
    if (row.type === "silence") bars.push({ ...row.silence, kind: "silence", label: "Silence", lane: "silence" });
    if (row.type === "loose") {
      const kind: BarKind = row.period.role === "user" ? "caller" : row.period.role;
      bars.push({
        fromMs: row.fromMs,
        untilMs: row.untilMs,
        kind,
        label: "",
        lane: laneOf(row.period.role),
      });
    }
    if (row.type !== "turn") continue;
    for (const bar of row.voice) bars.push({ ...bar, lane: laneOf(row.turn.role) });
    for (const bar of row.calls)
      if (bar.kind === "tool" || (bar.kind === "failed" && bar.label.startsWith("Tool")))
        bars.push({ ...bar, lane: "tool" });
  }
  return merged(bars, near);
}

export const hasThirdParty = ({ rows }: TimelineModel): boolean =>
  rows.some(
    (row) =>
      (row.type === "turn" && row.turn.role === "third_party") ||
      (row.type === "loose" && row.period.role === "third_party"),
  );

const laneOf = (role: Turn["role"]): LaneBar["lane"] => (role === "user" ? "caller" : role);

function merged(bars: readonly LaneBar[], near: number): LaneBar[] {
  const last = new Map<string, LaneBar>();
  const shown: LaneBar[] = [];
  for (const bar of bars.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const key = `${bar.lane} ${bar.kind}`;
    const before = last.get(key);
    if (before !== undefined && bar.lane !== "silence" && bar.fromMs - before.untilMs < near) {
      before.untilMs = Math.max(before.untilMs, bar.untilMs);
      continue;
    }
    const copy = { ...bar };
    last.set(key, copy);
    shown.push(copy);
  }
  return shown;
}

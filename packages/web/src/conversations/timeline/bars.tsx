import type { CSSProperties } from "react";
import { classes } from "../../ui/classes.ts";
import type { Interval } from "./axis.ts";
import type { Bar } from "./intervals.ts";
import styles from "./bars.module.css";
import type { BarKind } from "./spans.ts";
import type { TimelineModel } from "./model.ts";
import type { AnswerPart } from "./answers.ts";

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

/** Returns the class of a kind of bar. */
export const barClass = (kind: BarKind): string | undefined => styles[CLASSES[kind]];

/** Returns the style that puts an element on the axis. The axis sets `--from` and `--length`, so a zoom renders no bar again. */
export const onAxis = ({ fromMs, untilMs }: Interval, more?: CSSProperties): CSSProperties =>
  ({ "--at": String(fromMs), "--for": String(Math.max(0, untilMs - fromMs)), ...more }) as CSSProperties;

type BarsProps = {
  bars: readonly Bar[];
  /** Distance from the top of the row, in pixels. */
  top: number;
  thin?: boolean;
  /** Time that is 0 on the axis. */
  zeroMs?: number;
};

/** Bars in the waterfall of one row. */
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

/** The names of the bars that this conversation has. */
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

/** A bar of what the time of an answer is made of. `share` is its length on the scale of the conversation. */
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

import { CircleX, CornerDownRight, EarOff, Pause } from "lucide-react";
import { memo } from "react";
import { classes } from "../../ui/classes.ts";
import { formatMs, formatPlural } from "../../ui/format.ts";
import { cut, shownText } from "../shown-text.ts";
import { callTime, type Interval } from "./axis.ts";
import { Bars, onAxis } from "./bars.tsx";
import { useTimeline } from "./context.tsx";
import type { Silence, TimelineModel, TimelineRow } from "./model.ts";
import barStyles from "./bars.module.css";
import styles from "./timeline.module.css";
import type { SpanRow as Row } from "./spans.ts";

const DEPTH_SHOWN = 12;

type OtherRowProps = { row: Exclude<TimelineRow, { type: "turn" }> };

export const OtherRow = memo(function OtherRow({ row }: OtherRowProps) {
  const { model, axis } = useTimeline();
  const { text, icon: Icon, bars } = contentOf(row, model);
  return (
    <div role="row" aria-level={1} className={classes(styles["row"], styles["aside"])}>
      <div className={styles["said"]} role="gridcell">
        <Icon size={14} aria-hidden />
        <bdi>{text}</bdi>
      </div>
      <div className={styles["time"]} role="gridcell">
        {axis === "call" && (
          <div data-plot className={styles["plot"]}>
            <Bars bars={bars} top={8} />
          </div>
        )}
      </div>
    </div>
  );
});

function contentOf(row: OtherRowProps["row"], { trace }: TimelineModel) {
  if (row.type === "silence") {
    const { silence } = row;
    return {
      text: silenceText(silence, trace.complete),
      icon: Pause,
      bars: [{ ...silence, kind: "silence" as const, label: "Silence" }],
    };
  }
  if (row.type === "loose") {
    const { period, fromMs, untilMs } = row;
    const who = { user: "The caller", agent: "The agent", third_party: "A third party" }[period.role];
    return {
      text: `${who} speaks for ${formatMs(untilMs - fromMs)} at ${callTime(fromMs)}; no words are known.`,
      icon: EarOff,
      bars: [
        { fromMs, untilMs, kind: period.role === "user" ? ("caller" as const) : period.role, label: `${who} speaks` },
      ],
    };
  }
  const { unspoken, atMs, untilMs } = row;
  const { outcome, error, text } = unspoken;
  const said = text === null ? "" : ` “${cut(shownText(text), 200)}”`;
  const reason =
    error === null ? "" : `: ${cut(shownText([error.type, error.message].filter(Boolean).join(", ")), 240)}`;
  return {
    text:
      outcome === "failed"
        ? `An answer failed at ${callTime(atMs)}${reason}`
        : `The agent discarded an answer at ${callTime(atMs)}.${said}`,
    icon: CircleX,
    bars: [
      {
        fromMs: atMs,
        untilMs,
        kind: outcome === "failed" ? ("failed" as const) : ("rest" as const),
        label: "Not heard",
      },
    ],
  };
}

function silenceText({ fromMs, untilMs, isFirst, isLast }: Silence, isOver: boolean): string {
  const end = isFirst ? ", before the first word" : isLast ? (isOver ? ", until the session closes" : " so far") : "";
  return `No one speaks for ${formatMs(untilMs - fromMs)}${end}`;
}

type RestRowProps = { count: number; isOpen: boolean; isTabStop: boolean; onToggle: () => void };

/** Row that opens and closes the list of spans without a turn. */
export function RestRow({ count, isOpen, isTabStop, onToggle }: RestRowProps) {
  return (
    <div
      role="row"
      aria-level={1}
      aria-expanded={isOpen}
      tabIndex={isTabStop ? 0 : -1}
      data-row="rest"
      className={classes(styles["row"], styles["turn"], styles["aside"], styles["without"])}
      onClick={onToggle}
    >
      <div className={styles["said"]} role="gridcell">
        <CornerDownRight size={14} aria-hidden />
        {formatPlural(count, "span")}
        {count === 1 ? " belongs" : " belong"} to no turn
      </div>
      <div className={styles["time"]} role="gridcell">
        <div data-plot className={styles["plot"]} />
      </div>
    </div>
  );
}

type SpanRowProps = {
  row: Row;
  /** Time at position 0 of the answer axis; null if the turn is no answer. */
  zeroMs: number | null;
  /** Periods in which both parties speak. They are drawn across the rows of the turn. */
  bands: readonly Interval[];
  isLast: boolean;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
};

export const SpanRow = memo(function SpanRow(props: SpanRowProps) {
  const { row, zeroMs, bands, isLast, isSelected, onSelect } = props;
  const { model, axis } = useTimeline();
  const { span, name, depth, kind } = row;
  const fromMs = model.clock.ofNanoseconds(span.startTimeUnixNano);
  const untilMs = fromMs + (span.durationMs ?? 0);
  const isShown = axis === "call" || zeroMs !== null;
  return (
    <div
      role="row"
      aria-level={depth + 2}
      aria-selected={isSelected}
      tabIndex={-1}
      data-row={`span ${span.spanId}`}
      className={classes(styles["row"], styles["span"], isLast && styles["last"])}
      style={{ ["--depth" as string]: Math.min(depth, DEPTH_SHOWN) }}
      onClick={() => onSelect(span.spanId)}
    >
      <div className={styles["said"]} role="gridcell">
        <span title={cut(shownText(name), 400)}>{cut(shownText(name).replaceAll(/\s+/g, " "), 200)}</span>
        <span className={classes(styles["duration"], kind === "failed" && styles["failedText"])}>
          {span.durationMs === null ? "no end" : formatMs(span.durationMs)}
        </span>
      </div>
      <div className={styles["time"]} role="gridcell">
        <div data-plot className={styles["plot"]}>
          {axis === "answer" && <span className={styles["zero"]} />}
          {axis === "call" &&
            bands.map((band) => <span key={band.fromMs} className={barStyles["band"]} style={onAxis(band)} />)}
          {isShown && (
            <Bars
              bars={[{ kind, fromMs, untilMs, label: name.slice(0, 200) }]}
              top={6}
              zeroMs={axis === "answer" ? zeroMs! : 0}
            />
          )}
        </div>
      </div>
    </div>
  );
});

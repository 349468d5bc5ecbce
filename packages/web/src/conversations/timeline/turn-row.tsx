import { CircleX, Hand, Play, Volume2, Wrench } from "lucide-react";
import { memo } from "react";
import { classes } from "../../ui/classes.ts";
import { formatMs, formatPlural } from "../../ui/format.ts";
import { argumentsText, cut, shownText, valueText } from "../shown-text.ts";
import { AnswerParts, Bars, onAxis } from "./bars.tsx";
import { type Axis, callTime } from "./axis.ts";
import { useTimeline } from "./context.tsx";
import type { Mark } from "./marks.ts";
import { SaidText, Speaker } from "./said.tsx";
import type { TimelineModel, TurnRow as Row } from "./model.ts";
import barStyles from "./bars.module.css";
import styles from "./timeline.module.css";
import { waitInterval } from "./answers.ts";
import type { Bar } from "./intervals.ts";

/** Under the words; the inspector has all tool calls. */
const TOOLS_SHOWN = 8;

const TOP = { bracket: 4, caller: 9, wait: 13, calls: 14, voice: 26, typedCalls: 30 };

type TurnRowProps = {
  row: Row;
  isSelected: boolean;
  isOpen: boolean;
  isTabStop: boolean;
  marks: readonly Mark[];
  onSelect: (turn: number) => void;
  /** Whether the recording plays this turn, or played it last. */
  isHeard: boolean;
  /** Plays the recording from a turn; undefined without a recording. */
  onPlay: ((turn: number) => void) | undefined;
};

/** One turn: its words on the left, its bars on the right. */
export const TurnRow = memo(function TurnRow(props: TurnRowProps) {
  const { row, isSelected, isOpen, isTabStop, marks, onSelect, isHeard, onPlay } = props;
  const { model, axis, toolFacts } = useTimeline();
  const { turn, cut: interruption, tools } = row;
  return (
    <div
      role="row"
      aria-level={1}
      aria-expanded={row.spanCount > 0 ? isOpen : undefined}
      aria-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      aria-current={isHeard ? "true" : undefined}
      data-row={`turn ${turn.index}`}
      className={classes(styles["row"], styles["turn"])}
      onClick={() => onSelect(turn.index)}
    >
      <div className={styles["said"]} role="gridcell">
        <div className={styles["head"]}>
          <Speaker role={turn.role} name={model.hasSeveralAgents ? turn.agentName : null} isTyped={model.isPlain} />
          {onPlay === undefined ? (
            <span className={styles["at"]}>{model.isPlain ? `turn ${turn.index}` : callTime(row.atMs)}</span>
          ) : (
            <PlayFrom atMs={row.atMs} isHeard={isHeard} isTabStop={isTabStop} onPlay={() => onPlay(turn.index)} />
          )}
          <span className={styles["end"]}>
            <HeadEnd row={row} model={model} />
          </span>
        </div>
        {turn.text === null ? (
          <p className={styles["faint"]}>
            {model.trace.quality.contentWithheld === true ? "The sender withheld the text." : "No words are known."}
          </p>
        ) : (
          <SaidText text={turn.text} heardText={turn.heardText} marks={marks} />
        )}
        {tools.slice(0, TOOLS_SHOWN).map(({ call, index }) => (
          <ToolNote key={index} call={call} fact={toolFacts?.get(index)} />
        ))}
        {tools.length > TOOLS_SHOWN && (
          <p className={classes(styles["note"], styles["muted"])}>
            {formatPlural(tools.length - TOOLS_SHOWN, "more tool call")}
          </p>
        )}
        {interruption !== null && (
          <p className={classes(styles["note"], styles["cut"])}>
            <Hand size={13} aria-hidden />
            <span>
              Cut short by the caller{model.isPlain ? "" : ` at ${callTime(interruption.atMs)}`}
              {interruption.wentOnMs !== null && `; went on for ${formatMs(interruption.wentOnMs)}`}
            </span>
          </p>
        )}
      </div>
      <div className={styles["time"]} role="gridcell">
        <TurnPlot row={row} model={model} axis={axis} />
      </div>
    </div>
  );
});

type PlayFromProps = { atMs: number; isHeard: boolean; isTabStop: boolean; onPlay: () => void };

/** The start of a turn as a button that plays the recording from there. */
function PlayFrom({ atMs, isHeard, isTabStop, onPlay }: PlayFromProps) {
  const Icon = isHeard ? Volume2 : Play;
  return (
    <button
      type="button"
      className={classes(styles["at"], styles["playFrom"])}
      aria-label={`Play from ${callTime(atMs)}`}
      tabIndex={isTabStop ? 0 : -1}
      onClick={(event) => {
        event.stopPropagation();
        onPlay();
      }}
    >
      <Icon size={12} aria-hidden />
      {callTime(atMs)}
    </button>
  );
}

/** The number at the end of a turn's head: the time of the answer, of the greeting, or of the turn's end. */
function HeadEnd({ row, model }: { row: Row; model: TimelineModel }) {
  const { answer, heardAnswerMs, greetingMs, endOfTurnMs, turn } = row;
  if (answer !== null)
    return (
      <span className={styles["answer"]}>
        {heardAnswerMs !== null && (
          <span className={styles["faint"]} title="As the caller heard it">
            heard {formatMs(heardAnswerMs)}
          </span>
        )}
        {answer.parts.length > 0 && <AnswerParts parts={answer.parts} share={answer.ms / model.slowestMs} />}
        <span className={classes(styles["answerTime"], row.isSlowest && styles["slowest"])}>
          {formatMs(answer.ms)}
          {row.isSlowest && <span className="visually-hidden">, the slowest answer</span>}
        </span>
      </span>
    );
  if (greetingMs !== null) return <span>greeting after {formatMs(greetingMs)}</span>;
  if (endOfTurnMs !== null && turn.role === "user")
    return <span title="End of utterance">turn over after {formatMs(endOfTurnMs)}</span>;
  if (model.isPlain && turn.role === "agent" && turn.durationMs !== null)
    return <span className={styles["answerTime"]}>{formatMs(turn.durationMs)}</span>;
  return null;
}

type ToolNoteProps = { call: Row["tools"][number]["call"]; fact: string | undefined };

/** One tool call under the words of its turn. */
function ToolNote({ call, fact }: ToolNoteProps) {
  const hasFailed = call.isError === true;
  const Icon = hasFailed ? CircleX : Wrench;
  return (
    <div className={classes(styles["note"], styles["tool"])}>
      <Icon size={13} aria-hidden />
      <bdi>
        <code>{call.name === null ? "tool" : cut(shownText(call.name), 80)}</code>{" "}
        {fact !== undefined && <span className={styles["faint"]}>{fact} </span>}
        <span className={styles["muted"]}>{argumentsText(call.arguments)}</span>{" "}
        {hasFailed ? (
          <span className={styles["failedText"]}>
            failed{call.result === null ? "" : `: ${cut(valueText(call.result), 160)}`}
          </span>
        ) : (
          call.durationMs !== null &&
          call.durationMs > 0 && <span className={styles["faint"]}>{formatMs(call.durationMs)}</span>
        )}
      </bdi>
    </div>
  );
}

/** The bars of one turn on the axis. */
function TurnPlot({ row, model, axis }: { row: Row; model: TimelineModel; axis: Axis }) {
  if (axis === "answer") return <AnswerPlot row={row} model={model} />;
  const { turn, answer, bands, voice, calls } = row;
  const isAgent = turn.role === "agent";
  const top = model.isPlain || !isAgent ? TOP.caller : TOP.voice;
  return (
    <div data-plot className={styles["plot"]}>
      {bands.map((band) => (
        <span key={band.fromMs} className={barStyles["band"]} style={onAxis(band)} title="Both speak" />
      ))}
      <Bars bars={voice} top={top} />
      <Bars bars={calls} top={isAgent ? (model.isPlain ? TOP.typedCalls : TOP.calls) : TOP.wait} thin />
      {answer !== null && !model.isPlain && answer.heardMs > answer.zeroMs && (
        <span
          className={barStyles["bracket"]}
          style={onAxis({ fromMs: answer.zeroMs, untilMs: answer.heardMs }, { top: TOP.bracket })}
        />
      )}
    </div>
  );
}

/** The bars of an answer from the caller's last word, which is 0. Other turns have an empty row. */
function AnswerPlot({ row, model }: { row: Row; model: TimelineModel }) {
  const { answer } = row;
  if (answer === null)
    return (
      <div data-plot className={styles["plot"]}>
        <span className={styles["zero"]} />
      </div>
    );
  const { zeroMs, heardMs } = answer;
  const wait = waitInterval(answer);
  const waits: Bar[] = wait === null ? [] : [{ ...wait, kind: "wait", label: "Waiting for the turn’s end" }];
  const asked = answer.question === null ? undefined : model.turnRows[answer.question];
  const question = asked?.voice.filter(({ fromMs }) => fromMs < zeroMs) ?? [];
  const shown = question.map((bar) => ({ ...bar, untilMs: Math.min(bar.untilMs, zeroMs) }));
  return (
    <div data-plot className={styles["plot"]}>
      <span className={styles["zero"]} />
      <Bars bars={shown} top={TOP.voice} zeroMs={zeroMs} />
      <Bars bars={[...waits, ...row.calls]} top={TOP.calls} zeroMs={zeroMs} thin />
      <Bars bars={row.voice} top={TOP.voice} zeroMs={zeroMs} />
      {heardMs > zeroMs && (
        <span
          className={barStyles["bracket"]}
          style={onAxis({ fromMs: 0, untilMs: heardMs - zeroMs }, { top: TOP.bracket })}
        />
      )}
    </div>
  );
}

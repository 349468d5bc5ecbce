import {
  AudioLines,
  CircleX,
  Hand,
  MessageSquare,
  Phone,
  PhoneForwarded,
  Play,
  User,
  Volume2,
  Wrench,
} from "lucide-react";
import { Fragment, memo, type ReactNode, useState } from "react";
import type { Turn } from "@svc/contract";
import { classes } from "../../ui/classes.ts";
import { formatCount, formatMs, formatPlural } from "../../ui/format.ts";
import { argumentsText, cut, shownText, valueText } from "../shown-text.ts";
import { callTime } from "./axis.ts";
import { useSelection, useShowMoment, useTimeline } from "./context.tsx";
import { heardLength, type Mark, segmentsOf } from "./marks.ts";
import { differenceText } from "./measures.ts";
import type { Cut, TimelineModel, TurnRow as Row } from "./model.ts";
import styles from "./timeline.module.css";
import { Button } from "../../ui/button.tsx";
import saidStyles from "./said.module.css";
import { AnswerParts, TurnPlot } from "./bars.tsx";

/** Most tool calls that are shown below the words of a turn. The inspector shows all of them. */
const TOOLS_SHOWN = 8;

type TurnRowProps = {
  row: Row;
  isSelected: boolean;
  isOpen: boolean;
  isTabStop: boolean;
  marks: readonly Mark[];
  onSelect: (turn: number) => void;
  /** Whether the recording is playing this turn, or played it last. */
  isHeard: boolean;
  /** Undefined if there is no recording. */
  onPlay: ((turn: number) => void) | undefined;
};

export const TurnRow = memo(function TurnRow(props: TurnRowProps) {
  const { row, isSelected, isOpen, isTabStop, marks, onSelect, isHeard, onPlay } = props;
  const { model, axis, toolFacts } = useTimeline();
  const { turn, cuts, tools } = row;
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
          <span className={styles["at"]}>turn {turn.index}</span>
          {onPlay === undefined ? (
            !model.isPlain && <span className={styles["at"]}>{callTime(row.atMs)}</span>
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
        {cuts.map((interruption) => (
          <CutNote
            key={interruption.atMs}
            cut={interruption}
            isPlain={model.isPlain}
            isTabStop={isTabStop}
            hasSound={onPlay !== undefined}
          />
        ))}
      </div>
      <div className={styles["time"]} role="gridcell">
        <TurnPlot row={row} model={model} axis={axis} />
      </div>
    </div>
  );
});

type CutNoteProps = { cut: Cut; isPlain: boolean; isTabStop: boolean; hasSound: boolean };

function CutNote({
  cut: { turn, atMs, wentOnMs, reportedMs, provenance },
  isPlain,
  isTabStop,
  hasSound,
}: CutNoteProps) {
  const showMoment = useShowMoment();
  const at = callTime(atMs);
  return (
    <p className={classes(styles["note"], styles["cut"])}>
      <Hand size={13} aria-hidden />
      <span>
        Cut short by the caller{isPlain ? "" : ` at ${at}`}
        {wentOnMs !== null && `; went on for ${formatMs(wentOnMs)}`}
        {wentOnMs !== null && provenance === "heard" && " as heard"}
        {wentOnMs !== null &&
          reportedMs !== null &&
          `, reported ${formatMs(reportedMs)} (${differenceText(wentOnMs - reportedMs, "ms")})`}{" "}
        {hasSound && (
          <button
            type="button"
            className={classes(styles["at"], styles["playFrom"])}
            aria-label={`Hear it, the interruption at ${at}`}
            tabIndex={isTabStop ? 0 : -1}
            onClick={(event) => {
              event.stopPropagation();
              showMoment(turn, atMs);
            }}
          >
            <Play size={12} aria-hidden />
            Hear it
          </button>
        )}
      </span>
    </p>
  );
}

type PlayFromProps = { atMs: number; isHeard: boolean; isTabStop: boolean; onPlay: () => void };

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

function HeadEnd({ row, model }: { row: Row; model: TimelineModel }) {
  const { answer, heardAnswerMs, greetingMs, endOfTurnMs, turn } = row;
  if (answer !== null)
    return (
      <span className={styles["answer"]}>
        {heardAnswerMs !== null && (
          <span className={styles["faint"]} title="As the caller heard it, with the difference from the reported time">
            heard {formatMs(heardAnswerMs)} ({differenceText(heardAnswerMs - answer.ms, "ms")})
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

/** A longer text is collapsed, so that one turn does not fill many screens. */
const FOLDED_CHARACTERS = 800;

const PARTIES = { user: "Caller", agent: "Agent", third_party: "Third party" };
const CLASSES = { user: "whoUser", agent: "whoAgent", third_party: "whoThirdParty" };
const SPEAKS = { user: Phone, agent: AudioLines, third_party: PhoneForwarded };
const TYPES = { user: User, agent: MessageSquare, third_party: PhoneForwarded };

type SaidTextProps = { text: string; heardText: string | null; marks: readonly Mark[] };

/** Words that support a verdict have the verdict's number. Words that the caller did not hear are pale. */
function SaidText({ text, heardText, marks }: SaidTextProps) {
  const { selectedMark, selectMark } = useSelection();
  const [isWhole, setWhole] = useState(false);
  const { segments, unplaced } = segmentsOf(text, marks, heardLength(text, heardText));
  const isFolded = !isWhole && text.length > FOLDED_CHARACTERS;
  let room = isFolded ? FOLDED_CHARACTERS : Infinity;
  const numbers = (shown: readonly Mark[]): ReactNode =>
    shown.map((mark) => <MarkNumber key={`${mark.id} ${mark.number}`} mark={mark} />);
  return (
    <div className={saidStyles["words"]} dir="auto">
      {segments.map((segment, index) => {
        const shown = shownText(segment.text.slice(0, Math.max(0, room)));
        const isOut = room <= 0 && segment.marks.length === 0;
        room -= segment.text.length;
        if (isOut) return null;
        const ends = segments[index + 1]?.marks !== segment.marks;
        return (
          <Fragment key={index}>
            {segment.marks.length > 0 ? (
              <mark
                className={classes(saidStyles["mark"], !segment.heard && saidStyles["unheard"])}
                data-selected={segment.marks.some(({ id }) => id === selectedMark) || undefined}
                onClick={(event) => {
                  event.stopPropagation();
                  selectMark(segment.marks[0]!.id, "verdict");
                }}
              >
                {shown}
              </mark>
            ) : (
              <span className={segment.heard ? undefined : saidStyles["unheard"]}>{shown}</span>
            )}
            {segment.marks.length > 0 && ends && numbers(segment.marks)}
          </Fragment>
        );
      })}
      {isFolded && "… "}
      {text.length > FOLDED_CHARACTERS && (
        <Button
          look="quiet"
          small
          onClick={(event) => {
            event.stopPropagation();
            setWhole(!isWhole);
          }}
        >
          {isWhole ? "Show less" : `Show all ${formatCount(text.length)} characters`}
        </Button>
      )}
      {numbers(unplaced)}
    </div>
  );
}

function MarkNumber({ mark }: { mark: Mark }) {
  const { selectedMark, selectMark } = useSelection();
  return (
    <button
      type="button"
      className={saidStyles["number"]}
      aria-label={`Verdict ${mark.number}: ${mark.label}`}
      aria-pressed={mark.id === selectedMark}
      onClick={(event) => {
        event.stopPropagation();
        selectMark(mark.id, "verdict");
      }}
    >
      {mark.number}
    </button>
  );
}

type SpeakerProps = {
  role: Turn["role"];
  /** Undefined if the conversation has only one agent. */
  name?: string | null;
  isTyped: boolean;
};

function Speaker({ role, name = null, isTyped }: SpeakerProps) {
  const Icon = (isTyped ? TYPES : SPEAKS)[role];
  return (
    <span className={classes(saidStyles["who"], saidStyles[CLASSES[role]])}>
      <Icon size={14} strokeWidth={2} aria-hidden />
      <span>
        {PARTIES[role]}
        {name !== null && <bdi> · {shownText(name)}</bdi>}
      </span>
    </span>
  );
}

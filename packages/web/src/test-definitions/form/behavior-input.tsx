import { CircleAlert, CircleDashed, Scale, SquareCheck, X } from "lucide-react";
import type { ClipboardEvent, KeyboardEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { inputClass } from "../../ui/field.tsx";
import { type BehaviorEdit, moved, pasted, removed, splitAt } from "../behavior-edits.ts";
import type { BehaviorReading } from "../queries.ts";
import styles from "./behaviors-field.module.css";
import { Backticked } from "../../ui/user-text.tsx";
import { deciderOf } from "./readings.ts";

const ICONS = { code: SquareCheck, judge: Scale, missingJudge: Scale, unreadable: CircleAlert };

type BehaviorInputProps = {
  index: number;
  behaviors: readonly string[];
  reading: BehaviorReading | undefined;
  isReading: boolean;
  hasJudge: boolean;
  error: string | undefined;
  onChange: ((behaviors: string[]) => void) | undefined;
  onEdit: (edit: BehaviorEdit, atStart?: boolean) => void;
};

/** Return adds a behavior, Backspace in an empty input removes it, and Alt with an arrow moves it. */
export function BehaviorInput(props: BehaviorInputProps) {
  const { index, behaviors, reading, isReading, hasJudge, error, onChange, onEdit } = props;
  const behavior = behaviors[index]!;
  const problem = error ?? reading?.problem ?? undefined;
  const hintId = `behavior-${index}-hint`;

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const edit = editOf(event, behaviors, index);
    if (edit === undefined) return;
    event.preventDefault();
    onEdit(edit, event.key === "Enter");
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const selection = { start: selectionStart, end: selectionEnd };
    const edit = pasted(behaviors, index, selection, event.clipboardData.getData("text"));
    if (edit === undefined) return;
    event.preventDefault();
    onEdit(edit);
  };

  return (
    <li className={styles["behavior"]}>
      <span className={styles["number"]} aria-hidden>
        {index + 1}
      </span>
      <textarea
        className={classes(inputClass, styles["text"])}
        rows={behavior.split("\n").length}
        value={behavior}
        readOnly={onChange === undefined}
        aria-label={`Behavior ${index + 1}`}
        aria-describedby={hintId}
        aria-invalid={problem !== undefined || undefined}
        placeholder={index === 0 ? "calls book_room with nights=2" : undefined}
        onChange={({ target }) => onChange?.(behaviors.with(index, target.value))}
        onKeyDown={onChange && onKeyDown}
        onPaste={onChange && onPaste}
      />
      {onChange && (
        <Button
          look="quiet"
          iconOnly
          aria-label={`Remove behavior ${index + 1}`}
          onClick={() => onEdit(removed(behaviors, index))}
        >
          <X size={14} aria-hidden />
        </Button>
      )}
      <BehaviorHint id={hintId} {...{ reading, isReading, hasJudge, problem }} isEmpty={behavior.trim() === ""} />
    </li>
  );
}

/** Returns the edit of the list that a key causes; undefined for a key that edits the text. */
function editOf(
  { key, altKey, shiftKey, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>,
  behaviors: readonly string[],
  index: number,
): BehaviorEdit | undefined {
  if (ctrlKey || metaKey || shiftKey) return undefined;
  if (altKey && (key === "ArrowUp" || key === "ArrowDown")) return moved(behaviors, index, key === "ArrowUp" ? -1 : 1);
  if (altKey) return undefined;
  if (key === "Enter") return splitAt(behaviors, index, currentTarget.selectionStart);
  if (key === "Backspace" && behaviors[index] === "" && behaviors.length > 1) return removed(behaviors, index);
  return undefined;
}

type BehaviorHintProps = {
  id: string;
  reading: BehaviorReading | undefined;
  isReading: boolean;
  hasJudge: boolean;
  /** The service's message if it rejects the sentence. */
  problem: string | undefined;
  isEmpty: boolean;
};

function BehaviorHint({ id, reading, isReading, problem, isEmpty }: BehaviorHintProps) {
  if (problem !== undefined)
    return (
      <p id={id} className={classes(styles["hint"], styles["unreadable"])} role="alert">
        <CircleAlert size={13} aria-hidden />
        <span>
          <Backticked text={problem} />
        </span>
      </p>
    );
  if (reading === undefined || isEmpty)
    return (
      <p id={id} className={classes(styles["hint"], styles["reading"])}>
        {isReading && (
          <>
            <CircleDashed size={13} aria-hidden />
            <span>Reading …</span>
          </>
        )}
      </p>
    );
  const decider = deciderOf(reading);
  const Icon = ICONS[decider];
  return (
    <p id={id} className={classes(styles["hint"], styles[decider])}>
      <Icon size={13} aria-hidden />
      <span>
        {decider === "code" ? "Decided by code: " : ""}
        <bdi>
          <Backticked text={reading.reading} />
        </bdi>
        {decider === "missingJudge" ? " It would not be graded." : ""}
        {reading.suggestion !== null && (
          <>
            {" "}
            Code decides{" "}
            <bdi>
              <code>{reading.suggestion}</code>
            </bdi>
            .
          </>
        )}
      </span>
    </p>
  );
}

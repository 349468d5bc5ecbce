import type { Grade, LabelVerdict, ReviewItem } from "@svc/contract";
import { LIMITS, REVIEW_REASONS } from "@svc/contract/constants";
import { Link } from "@tanstack/react-router";
import { CircleHelp, type LucideIcon, ThumbsDown, ThumbsUp } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { useSelection } from "../conversations/timeline/context.tsx";
import { GradeCard } from "../conversations/timeline/grade-cards.tsx";
import { gradeKey } from "../conversations/timeline/marks.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { formatPlural } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { UserText } from "../ui/user-text.tsx";
import { StateChip } from "./items.tsx";
import styles from "./review.module.css";
import { peopleWords } from "./review-words.ts";

const CHOICES: { verdict: LabelVerdict; key: string; text: string; icon: LucideIcon }[] = [
  { verdict: "passed", key: "p", text: "Passed", icon: ThumbsUp },
  { verdict: "failed", key: "f", text: "Failed", icon: ThumbsDown },
  { verdict: "unsure", key: "u", text: "Unsure", icon: CircleHelp },
];

type ReviewPanelProps = {
  item: ReviewItem;
  grades: readonly Grade[];
  /** Id of the grade that the keys label. */
  current: string | undefined;
  onChoose: (gradeId: string) => void;
  /** False for viewers, because viewers cannot label. */
  onLabel: ((verdict: LabelVerdict) => void) | false;
  busy: boolean;
  note: string;
  onNote: (note: string) => void;
  noteField: RefObject<HTMLTextAreaElement | null>;
  error: Error | null;
  toolName: (index: number) => string | undefined;
  /** Button that skips the item; false if it cannot be skipped. */
  skip: ReactNode;
};

export function ReviewPanel({ item, grades, current, onChoose, error, toolName, skip, ...labeling }: ReviewPanelProps) {
  const { user } = usePlace();
  const { numbers, selectMark } = useSelection();

  return (
    <div className={styles["panel"]}>
      <section>
        <div className={styles["panelHead"]}>
          <StateChip state={item.state} />
          <span className={styles["muted"]}>{peopleWords(item)}</span>
          {skip}
        </div>
        <Reasons item={item} />
      </section>
      {error && <Failure error={error} />}
      {grades.length === 0 && (
        <Notice>
          {item.state === "waiting"
            ? "No grader has graded this conversation yet, so there is nothing to label."
            : "Its grades are erased, so there is nothing to label."}
        </Notice>
      )}
      {grades.map((grade) => {
        const id = gradeKey(grade);
        const isCurrent = grade.id === current;
        return (
          <GradeCard
            key={id}
            grade={grade}
            number={numbers.get(id)}
            isSelected={isCurrent && grades.length > 1}
            isShown={isCurrent && grades.length > 1}
            onSelect={(turn) => {
              if (grade.id !== null) onChoose(grade.id);
              selectMark(id, "words", turn);
            }}
            toolName={toolName}
          >
            {isCurrent && labeling.onLabel ? (
              <LabelForm grade={grade} userId={user.id} {...labeling} />
            ) : (
              <OwnLabel grade={grade} userId={user.id} />
            )}
            <OthersLabels grade={grade} userId={user.id} canLabel={labeling.onLabel !== false} />
          </GradeCard>
        );
      })}
    </div>
  );
}

function Reasons({ item: { reasons } }: { item: ReviewItem }) {
  const { params } = usePlace();
  return (
    <ul className={styles["reasons"]} aria-label="Why it is in the queue">
      {reasons.map(({ reason, sentence, alertId, at }) => (
        <li key={`${reason} ${at} ${sentence}`}>
          <b>{REVIEW_REASONS[reason].title}.</b> <UserText inline text={sentence} />{" "}
          {alertId !== null && (
            <Link to="/o/$organizationId/p/$project/alerts/$alertId" params={{ ...params, alertId }}>
              Show the alert
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

type LabelFormProps = Pick<ReviewPanelProps, "busy" | "note" | "onNote" | "noteField"> & {
  grade: Grade;
  userId: string;
  onLabel: ReviewPanelProps["onLabel"];
};

function LabelForm({ grade, userId, onLabel, busy, note, onNote, noteField }: LabelFormProps) {
  const own = grade.labels.find((label) => label.userId === userId);
  return (
    <div className={styles["labels"]} onClick={(event) => event.stopPropagation()}>
      <div className={styles["buttons"]} role="group" aria-label="What is right?">
        {CHOICES.map(({ verdict, key, text, icon: Icon }) => (
          <Button
            key={verdict}
            aria-keyshortcuts={key}
            aria-pressed={own?.verdict === verdict}
            busy={busy}
            onClick={() => onLabel && onLabel(verdict)}
          >
            <Icon size={14} aria-hidden />
            {text} <kbd aria-hidden>{key}</kbd>
          </Button>
        ))}
      </div>
      <TextArea
        ref={noteField}
        label="Note"
        rows={2}
        maxLength={LIMITS.behaviorCharacters}
        help="Kept with your label. Press n to write it, and Escape to leave the field."
        value={note}
        placeholder={own?.note ?? ""}
        onChange={({ target }) => onNote(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
    </div>
  );
}

function OwnLabel({ grade, userId }: { grade: Grade; userId: string }) {
  const own = grade.labels.find((label) => label.userId === userId);
  return own === undefined ? null : <p className={styles["muted"]}>You say {own.verdict}.</p>;
}

type OthersLabelsProps = { grade: Grade; userId: string; canLabel: boolean };

/** Labels of other people are hidden until the person has labeled the grade, so that people judge independently. */
function OthersLabels({ grade, userId, canLabel }: OthersLabelsProps) {
  const others = grade.labels.filter((label) => label.userId !== userId);
  if (others.length === 0) return null;
  const isHidden = canLabel && others.length === grade.labels.length;
  if (isHidden)
    return (
      <p className={styles["muted"]}>{formatPlural(others.length, "label")} of others, shown after you have labeled.</p>
    );
  return others.map(({ userId: id, userName, verdict, note }) => (
    <p key={id} className={styles["muted"]}>
      <UserText inline text={userName} />: {verdict}
      {note !== null && (
        <>
          , “<UserText inline text={note} />”
        </>
      )}
    </p>
  ));
}

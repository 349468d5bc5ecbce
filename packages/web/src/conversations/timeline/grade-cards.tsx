import type { Grade, LabelVerdict } from "@svc/contract";
import { useMutation } from "@tanstack/react-query";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { queries } from "../../queries.ts";
import { usePlace } from "../../shell/place.ts";
import { Button } from "../../ui/button.tsx";
import { Chip, Verdict } from "../../ui/chip.tsx";
import { Failure } from "../../ui/notice.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { valueText } from "../shown-text.ts";
import { callTime } from "./axis.ts";
import { useKnownTimeline, useSelection, useShowMoment } from "./context.tsx";
import { gradeKey, inReadingOrder } from "./marks.ts";
import styles from "./panels.module.css";
import said from "./said.module.css";

const DECIDED_BY: Record<Grade["decidedBy"], string> = {
  check: "decided by code",
  built_in: "decided by code",
  judge: "decided by a judge",
  veto: "vetoed by a person",
  none: "not decided",
};

const SHOULD = { passed: "Should have passed", failed: "Should have failed" } as const;

type GradeCardsProps = { grades: readonly Grade[]; toolName: (index: number) => string | undefined };

export function GradeCards({ grades, toolName }: GradeCardsProps) {
  const { user, canWrite } = usePlace();
  const { numbers, selectedMark, shown, selectMark } = useSelection();
  const labels = useLabels();
  return (
    <>
      {labels.error !== null && <Failure error={labels.error} />}
      {inReadingOrder(grades).map((grade) => {
        const id = gradeKey(grade);
        return (
          <GradeCard
            key={id}
            grade={grade}
            number={numbers.get(id)}
            isSelected={id === selectedMark}
            isShown={shown?.to === "verdict" && shown.id === id && shown}
            onSelect={(turn) => selectMark(id, "words", turn)}
            toolName={toolName}
          >
            <Labels
              grade={grade}
              userId={user.id}
              onLabel={canWrite && grade.id !== null && ((verdict) => labels.mutate({ gradeId: grade.id!, verdict }))}
              busy={labels.isPending}
            />
          </GradeCard>
        );
      })}
    </>
  );
}

type Sure = keyof typeof SHOULD;

type GradeCardProps = {
  grade: Grade;
  number: number | undefined;
  isSelected: boolean;
  /** Each new value except false scrolls to the card. */
  isShown?: object | boolean;
  /** Without a turn, selects the first turn of the grade's evidence. */
  onSelect: (turn?: number) => void;
  toolName: (toolCall: number) => string | undefined;
  children: ReactNode;
};

export function GradeCard({
  grade,
  number,
  isSelected,
  isShown = false,
  onSelect,
  toolName,
  children,
}: GradeCardProps) {
  const { verdict, decidedBy, criterion, reading, reason, evidence, votes, confidence } = grade;
  const clock = useKnownTimeline()?.model.clock;
  const showMoment = useShowMoment();
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isShown !== false) card.current?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  return (
    <article ref={card} className={styles["grade"]} data-selected={isSelected || undefined} onClick={() => onSelect()}>
      <div className={styles["gradeHead"]}>
        <Verdict verdict={verdict} />
        <span>{DECIDED_BY[decidedBy]}</span>
        {!grade.counts && <Chip>does not count</Chip>}
        {number !== undefined && (
          <button
            type="button"
            className={said["number"]}
            aria-pressed={isSelected}
            aria-label={`Show the words of verdict ${number}`}
            onClick={() => onSelect()}
          >
            {number}
          </button>
        )}
      </div>
      <div className={styles["criterion"]}>
        <UserText text={criterion} />
      </div>
      {reading !== null && reading !== criterion && (
        <p className={styles["reason"]}>
          <UserText backticked text={reading} />
        </p>
      )}
      <p className={styles["why"]}>
        <UserText backticked text={reason} />
      </p>
      {evidence.length > 0 && (
        <div className={styles["evidence"]}>
          {evidence.map(({ turn, quote, toolCall, at }, index) => (
            <button
              key={index}
              type="button"
              disabled={turn === null}
              onClick={(event) => {
                event.stopPropagation();
                onSelect(turn ?? undefined);
                if (turn !== null && at !== undefined && clock !== undefined) showMoment(turn, clock.ms(at));
              }}
            >
              <span>{turn !== null ? `turn ${turn}` : toolCall !== null ? `tool call ${toolCall}` : "call"}</span>
              <span>
                {at !== undefined && clock !== undefined && `interrupted at ${callTime(clock.ms(at))}`}
                {quote !== null ? `“${valueText(quote)}”` : toolCall !== null ? (toolName(toolCall) ?? "") : ""}
              </span>
            </button>
          ))}
        </div>
      )}
      {votes.length > 0 && <Votes votes={votes} confidence={confidence} />}
      {children}
    </article>
  );
}

/** Returns the verdicts that a person can choose as the right one, each with the label of its button. */
function choicesOf(verdict: Grade["verdict"]): { verdict: Sure; text: string }[] {
  if (verdict === "passed" || verdict === "failed") {
    const other = verdict === "passed" ? "failed" : "passed";
    return [
      { verdict, text: "Right" },
      { verdict: other, text: SHOULD[other] },
    ];
  }
  return [
    { verdict: "passed", text: SHOULD.passed },
    { verdict: "failed", text: SHOULD.failed },
  ];
}

type LabelsProps = {
  grade: Grade;
  /** Id of the person whose own label the buttons show. */
  userId: string;
  /** False for viewers, because viewers cannot label. */
  onLabel: ((verdict: Sure) => void) | false;
  busy: boolean;
};

function Labels({ grade, userId, onLabel, busy }: LabelsProps) {
  const own = grade.labels.find((label) => label.userId === userId);
  const others = grade.labels.filter((label) => label.userId !== userId);
  const choices = choicesOf(grade.verdict);
  const wordsOf = (verdict: LabelVerdict) =>
    choices.find((choice) => choice.verdict === verdict)?.text.toLowerCase() ?? verdict;
  return (
    <>
      {onLabel && (
        <div className={styles["labels"]}>
          {choices.map(({ verdict, text }, index) => (
            <Button
              key={verdict}
              look="quiet"
              small
              aria-pressed={own?.verdict === verdict}
              disabled={busy}
              onClick={(event) => {
                event.stopPropagation();
                onLabel(verdict);
              }}
            >
              {text === "Right" || (index === 0 && text === SHOULD.passed) ? (
                <ThumbsUp size={14} aria-hidden />
              ) : (
                <ThumbsDown size={14} aria-hidden />
              )}
              {text}
            </Button>
          ))}
        </div>
      )}
      {others.map((label) => (
        <p key={label.userId} className={styles["reason"]}>
          <UserText inline text={label.userName} />: {wordsOf(label.verdict)}
          {label.note !== null && (
            <>
              , “<UserText inline text={label.note} />”
            </>
          )}
        </p>
      ))}
    </>
  );
}

type Label = { gradeId: string; verdict: Sure };

function useLabels() {
  const { client, organizationId, projectId } = usePlace();
  return useMutation({
    mutationFn: (label: Label) => client.grades.label({ ...label, projectId }),
    onSuccess: () =>
      Promise.all(
        ["grades.ofTrace", "simulations.get"].map((operation) =>
          queries.invalidateQueries({ queryKey: [organizationId, projectId, operation] }),
        ),
      ),
  });
}

type VotesProps = { votes: readonly unknown[]; confidence: number | null };

const Votes = ({ votes, confidence }: VotesProps) => (
  <details className={styles["votes"]} onClick={(event) => event.stopPropagation()}>
    <summary>
      {votes.length === 1 ? "1 vote of the judge" : `${votes.length} votes of the judge`}
      {confidence !== null && `, confidence ${Math.round(confidence * 100)}%`}
    </summary>
    <ol>
      {votes.map((vote, index) => (
        <Vote key={index} vote={vote} />
      ))}
    </ol>
  </details>
);

function Vote({ vote }: { vote: unknown }) {
  const { model, status, reasoning } = readVote(vote);
  return (
    <li>
      <strong>{status ?? "no readable answer"}</strong>
      {model !== undefined && (
        <>
          {", "}
          <UserText inline text={model} />
        </>
      )}
      {reasoning !== undefined && (
        <p>
          <UserText text={reasoning} />
        </p>
      )}
      <details>
        <summary>Reply as it was sent</summary>
        <pre className={styles["code"]} tabIndex={0} dir="auto">
          {typeof vote === "string" ? valueText(vote) : JSON.stringify(vote, null, 2)}
        </pre>
      </details>
    </li>
  );
}

/** A vote is a model's reply, so any part may be missing. */
function readVote(vote: unknown): {
  model: string | undefined;
  status: string | undefined;
  reasoning: string | undefined;
} {
  const { model, replies } = membersOf(vote);
  const answer = membersOf(Array.isArray(replies) ? replies.at(-1) : undefined);
  return { model: textOf(model), status: textOf(answer["status"]), reasoning: textOf(answer["reasoning"]) };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

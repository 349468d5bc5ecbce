import type { Grade } from "@svc/contract";
import { usePlace } from "../../frame/place.ts";
import { Failure } from "../../ui/failure.tsx";
import { useLabels } from "../use-labels.ts";
import { GradeCard } from "./grade-card.tsx";
import { gradeKey, inReadingOrder } from "./grade-marks.ts";

type GradeCardsProps = {
  grades: readonly Grade[];
  numbers: ReadonlyMap<string, number>;
  selectedMark: string | undefined;
  onSelectMark: (id: string) => void;
  onTurn: (turn: number) => void;
  toolName: (index: number) => string | undefined;
};

/** The cards of grades, with the labels that a person gives them. */
export function GradeCards({ grades, numbers, selectedMark, onSelectMark, onTurn, toolName }: GradeCardsProps) {
  const { user, canWrite } = usePlace();
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
            onSelect={() => onSelectMark(id)}
            onTurn={onTurn}
            toolName={toolName}
            userId={user.id}
            onLabel={
              canWrite && grade.id !== null ? (verdict) => labels.mutate({ gradeId: grade.id!, verdict }) : undefined
            }
            busy={labels.isPending}
          />
        );
      })}
    </>
  );
}

import { CircleAlert, CircleDashed, Scale, SquareCheck } from "lucide-react";
import { classes } from "../../ui/classes.ts";
import { Backticked } from "../../ui/backticked.tsx";
import type { BehaviorReading } from "../queries.ts";
import styles from "./behaviors-field.module.css";
import { deciderOf } from "./readings.ts";

type BehaviorHintProps = {
  id: string;
  reading: BehaviorReading | undefined;
  isReading: boolean;
  hasJudge: boolean;
  /** The service's words about a sentence that it refuses. */
  problem: string | undefined;
  isEmpty: boolean;
};

const ICONS = { code: SquareCheck, judge: Scale, missingJudge: Scale, unreadable: CircleAlert };

/** Says who decides a behavior, in the service's words. */
export function BehaviorHint({ id, reading, isReading, problem, isEmpty }: BehaviorHintProps) {
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
        <Backticked text={reading.reading} />
        {decider === "missingJudge" ? " It would not be graded." : ""}
        {reading.suggestion !== null && (
          <>
            {" "}
            Code decides <code>{reading.suggestion}</code>.
          </>
        )}
      </span>
    </p>
  );
}

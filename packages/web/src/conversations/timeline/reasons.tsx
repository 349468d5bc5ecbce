import type { Grade } from "@svc/contract";
import { formatPlural } from "../../ui/format.ts";
import { VerdictIcon } from "../../ui/chip.tsx";
import { UserText } from "../../ui/user-text.tsx";
import { useSelection } from "./context.tsx";
import { gradeKey, inReadingOrder } from "./marks.ts";
import styles from "./reasons.module.css";

/** The other reasons are only in the inspector. */
const SHOWN = 3;

/** Why the conversation did not pass. Only narrow screens show it, because their inspector stands below the transcript. */
export function Reasons({ grades }: { grades: readonly Grade[] }) {
  const { selectMark } = useSelection();
  const reasons = inReadingOrder(grades).filter(({ counts, verdict }) => counts && verdict !== "passed");
  if (reasons.length === 0) return null;
  return (
    <ul className={styles["reasons"]} aria-label="Why it did not pass">
      {reasons.slice(0, SHOWN).map((grade) => (
        <li key={gradeKey(grade)}>
          <button type="button" onClick={() => selectMark(gradeKey(grade), "words")}>
            <VerdictIcon verdict={grade.verdict} size={15} />
            <span>
              <strong>
                <UserText inline text={grade.criterion} />
              </strong>
              <UserText inline text={grade.reason} />
            </span>
          </button>
        </li>
      ))}
      {reasons.length > SHOWN && <li>{formatPlural(reasons.length - SHOWN, "other reason")} below the transcript</li>}
    </ul>
  );
}

import { UserText } from "../ui/user-text.tsx";
import { timeInZone } from "./schedule-words.ts";
import styles from "./schedules.module.css";

type TimesProps = { words: string; nextTimes: readonly string[]; timeZone: string };

export function Times({ words, nextTimes, timeZone }: TimesProps) {
  return (
    <>
      <p className={styles["words"]}>{words}</p>
      <p>
        <UserText inline text={timeZone} />
      </p>
      <ol className={styles["times"]}>
        {nextTimes.map((time) => (
          <li key={time}>
            <time dateTime={time}>{timeInZone(time, timeZone)}</time>
          </li>
        ))}
      </ol>
    </>
  );
}

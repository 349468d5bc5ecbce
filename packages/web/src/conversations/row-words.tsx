import type { ListedTrace } from "@svc/contract";
import { classes } from "../ui/classes.ts";
import { VerdictIcon, type VerdictName } from "../ui/chip.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import tones from "../ui/tone.module.css";
import styles from "./conversation-rows.module.css";
import { cut, shownText } from "./shown-text.ts";

const WORDS_CHARACTERS = 240;

type RowProps = { trace: ListedTrace };

/**
 * Shows the words around the match of a search. Without a search, shows the platform's summary of the conversation, or else its
 * first words.
 */
export function Words({ trace }: RowProps) {
  const { preview, previewRole, reportedOutcome, turnCount, state, qualityTopics, searchMatch } = trace;
  if (searchMatch !== null) return <Found match={searchMatch} />;
  const summary = reportedOutcome?.summary ?? null;
  if (summary !== null) return <Said text={summary} />;
  if (preview !== null && preview !== "")
    return (
      <>
        {previewRole === "agent" && <span className={styles["faint"]}>Agent: </span>}
        <Said text={preview} />
      </>
    );
  const reason =
    turnCount === null
      ? state === "final"
        ? "not readable"
        : "not read yet"
      : turnCount === 0
        ? "no words"
        : qualityTopics?.includes("content") === true
          ? "text withheld"
          : "no words known";
  return <span className={styles["faint"]}>{reason}</span>;
}

function Found({ match: { in: place, text, start, end } }: { match: NonNullable<ListedTrace["searchMatch"]> }) {
  return (
    <>
      {place === "names" && <span className={styles["faint"]}>Names and errors: </span>}
      <bdi>
        {shownText(text.slice(0, start))}
        <mark>{shownText(text.slice(start, end))}</mark>
        {shownText(text.slice(end))}
      </bdi>
    </>
  );
}

const Said = ({ text }: { text: string }) => <bdi>{cut(shownText(text), WORDS_CHARACTERS)}</bdi>;

export function Outcome({ trace: { reportedOutcome, verdicts, errorCount } }: RowProps) {
  const { successful = null, ending = null } = reportedOutcome ?? {};
  return (
    <span className={styles["outcome"]}>
      {errorCount > 0 && <span className={styles["shortErrors"]}>{formatPlural(errorCount, "error")}</span>}
      {(successful !== null || ending !== null) && (
        <span className={styles["reported"]} title="Reported by the platform">
          {successful !== null && (successful ? "successful" : <b>not successful</b>)}
          {successful !== null && ending !== null && ", "}
          {ending !== null && <bdi>{shownText(ending.replaceAll("_", " "))}</bdi>}
        </span>
      )}
      {verdicts === null ? <span>not graded</span> : <Verdicts verdicts={verdicts} />}
    </span>
  );
}

const SHOWN: [keyof NonNullable<ListedTrace["verdicts"]>, VerdictName][] = [
  ["failed", "failed"],
  ["undecided", "inconclusive"],
  ["passed", "passed"],
];

function Verdicts({ verdicts }: { verdicts: NonNullable<ListedTrace["verdicts"]> }) {
  const shown = SHOWN.filter(([name]) => verdicts[name] > 0);
  return (
    <span className={styles["verdicts"]} title={shown.map(([name]) => `${verdicts[name]} ${name}`).join(", ")}>
      {shown.map(([name, icon]) => (
        <span key={name} className={classes(styles["verdict"], tones[icon])}>
          <VerdictIcon verdict={icon} plain />
          {formatCount(verdicts[name])}
          <span className="visually-hidden"> {name}</span>
        </span>
      ))}
    </span>
  );
}

import type { Turn } from "@svc/contract";
import { AudioLines, MessageSquare, Phone, PhoneForwarded, User } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { formatCount } from "../../ui/format.ts";
import { shownText } from "../shown-text.ts";
import { useSelection } from "./context.tsx";
import { heardLength, type Mark, segmentsOf } from "./marks.ts";
import styles from "./said.module.css";

/** A longer text is folded, so that one turn does not fill many screens. */
const FOLDED_CHARACTERS = 800;

const NAMES = { user: "Caller", agent: "Agent", third_party: "Third party" };
const CLASSES = { user: "whoUser", agent: "whoAgent", third_party: "whoThirdParty" };
const SPEAKS = { user: Phone, agent: AudioLines, third_party: PhoneForwarded };
const TYPES = { user: User, agent: MessageSquare, third_party: PhoneForwarded };

type SaidTextProps = { text: string; heardText: string | null; marks: readonly Mark[] };

/** The words of a turn. Marked words show the numbers of the verdicts that they support; unheard words are faint. */
export function SaidText({ text, heardText, marks }: SaidTextProps) {
  const { selectedMark, selectMark } = useSelection();
  const [isWhole, setWhole] = useState(false);
  const { segments, unplaced } = segmentsOf(text, marks, heardLength(text, heardText));
  const isFolded = !isWhole && text.length > FOLDED_CHARACTERS;
  let room = isFolded ? FOLDED_CHARACTERS : Infinity;
  const numbers = (shown: readonly Mark[]): ReactNode =>
    shown.map((mark) => <MarkNumber key={`${mark.id} ${mark.number}`} mark={mark} />);
  return (
    <div className={styles["words"]} dir="auto">
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
                className={classes(styles["mark"], !segment.heard && styles["unheard"])}
                data-selected={segment.marks.some(({ id }) => id === selectedMark) || undefined}
                onClick={(event) => {
                  event.stopPropagation();
                  selectMark(segment.marks[0]!.id);
                }}
              >
                {shown}
              </mark>
            ) : (
              <span className={segment.heard ? undefined : styles["unheard"]}>{shown}</span>
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

/** The number of a verdict behind the words that support it; it selects the verdict. */
function MarkNumber({ mark }: { mark: Mark }) {
  const { selectedMark, selectMark } = useSelection();
  return (
    <button
      type="button"
      className={styles["number"]}
      aria-label={`Verdict ${mark.number}: ${mark.label}`}
      aria-pressed={mark.id === selectedMark}
      onClick={(event) => {
        event.stopPropagation();
        selectMark(mark.id);
      }}
    >
      {mark.number}
    </button>
  );
}

type SpeakerProps = {
  role: Turn["role"];
  /** Name of the agent, when the conversation has several. */
  name?: string | null;
  isTyped: boolean;
};

/** The party that takes a turn, with an icon, a name and a colour. */
export function Speaker({ role, name = null, isTyped }: SpeakerProps) {
  const Icon = (isTyped ? TYPES : SPEAKS)[role];
  return (
    <span className={classes(styles["who"], styles[CLASSES[role]])}>
      <Icon size={14} strokeWidth={2} aria-hidden />
      <span>
        {NAMES[role]}
        {name !== null && <bdi> · {shownText(name)}</bdi>}
      </span>
    </span>
  );
}

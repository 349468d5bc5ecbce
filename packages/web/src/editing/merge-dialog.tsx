import { Check } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Dialog } from "../ui/dialog.tsx";
import { DiffView } from "../ui/diff-view.tsx";
import { Time } from "../ui/time.tsx";
import type { MergeChange, MergeChoice, MergeConflict } from "./merge.ts";
import type { RefusedEdit } from "./use-versioned-editor.ts";
import styles from "./merge-dialog.module.css";

type MergeDialogProps = {
  refused: RefusedEdit<unknown>;
  onKeepEditing: () => void;
  onTakeSaved: () => void;
  onSave: (choices: Record<string, MergeChoice>) => void;
};

export function MergeDialog({ refused, onKeepEditing, onTakeSaved, onSave }: MergeDialogProps) {
  const { begun, onto, merge } = refused;
  const { changes, conflicts } = merge;
  const { version: saved, savedAt } = onto;
  const [choices, setChoices] = useState<Record<string, MergeChoice>>({});
  return (
    <Dialog
      wide
      title={`Somebody saved version ${saved} while you were editing version ${begun}`}
      lede={
        conflicts.length > 0
          ? "Nothing is lost. Choose for each part. A part that only one of you changed is taken over."
          : "Nothing is lost. You changed different parts, so both edits fit together."
      }
      onClose={onKeepEditing}
      onSubmit={() => onSave(choices)}
      footer={
        <>
          <Button look="quiet" onClick={onKeepEditing}>
            Keep editing
          </Button>
          <Button onClick={onTakeSaved}>Take version {saved} as it is</Button>
          <Button type="submit" look="primary">
            Save as version {saved + 1}
          </Button>
        </>
      }
    >
      {changes.length > 0 && (
        <div className={styles["taken"]}>
          <Check size={16} aria-hidden />
          <p>Taken over without asking: {takenInWords(changes, saved)}.</p>
        </div>
      )}
      {conflicts.map((conflict) => (
        <Conflict
          key={conflict.id}
          conflict={conflict}
          saved={saved}
          savedAt={savedAt}
          choice={choices[conflict.id] ?? "mine"}
          onChoose={(choice) => setChoices({ ...choices, [conflict.id]: choice })}
        />
      ))}
    </Dialog>
  );
}

function takenInWords(changes: readonly MergeChange[], saved: number): string {
  const of = (from: MergeChange["from"]) => changes.filter((change) => change.from === from).map(({ label }) => label);
  const [theirs, mine] = [of("theirs"), of("mine")];
  return [
    theirs.length > 0 && `from version ${saved}: ${theirs.join(", ")}`,
    mine.length > 0 && `from your edit: ${mine.join(", ")}`,
  ]
    .filter(Boolean)
    .join("; ");
}

type ConflictProps = {
  conflict: MergeConflict;
  saved: number;
  savedAt: string | null;
  choice: MergeChoice;
  onChoose: (choice: MergeChoice) => void;
};

function Conflict({ conflict, saved, savedAt, choice, onChoose }: ConflictProps) {
  const { id, label, base, mine, theirs, canKeepBoth } = conflict;
  const sides = [
    {
      value: "theirs" as const,
      name: (
        <span>
          Version {saved}, saved <Time at={savedAt} absolute />
        </span>
      ),
      lines: theirs,
    },
    { value: "mine" as const, name: "Yours", lines: mine },
  ];
  return (
    <fieldset className={styles["conflict"]}>
      <legend>
        {label} {base.length === 0 ? "was added by both" : "was changed by both"}
      </legend>
      <div className={styles["sides"]}>
        {sides.map(({ value, name, lines }) => (
          <label key={value} className={classes(styles["side"], choice === value && styles["chosen"])}>
            <span className={styles["name"]}>
              <input type="radio" name={id} checked={choice === value} onChange={() => onChoose(value)} />
              {name}
            </span>
            <DiffView before={base.join("\n")} after={lines.join("\n")} />
          </label>
        ))}
      </div>
      {canKeepBoth && (
        <label className={styles["both"]}>
          <input type="radio" name={id} checked={choice === "both"} onChange={() => onChoose("both")} />
          Keep both
        </label>
      )}
    </fieldset>
  );
}

import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./agents.module.css";
import { type Connection, type ConnectionDraft, differencesOf } from "./connection-draft.ts";

type ConflictProps = {
  draft: ConnectionDraft;
  current: Connection;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
};

/** Shows what another person changed meanwhile, and asks which content the form continues with. */
export function ConnectionConflict({ draft, current, onKeepMine, onTakeTheirs }: ConflictProps) {
  const differences = differencesOf(draft, current);
  return (
    <Notice kind="warning">
      <p>Another person changed this connection while you edited it.</p>
      <dl className={styles["differences"]}>
        {differences.map(({ label, mine, theirs }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>Yours: {mine === "" ? "empty" : <code>{mine}</code>}</dd>
            <dd>Theirs: {theirs === "" ? "empty" : <code>{theirs}</code>}</dd>
          </div>
        ))}
      </dl>
      <div className={styles["buttons"]}>
        <Button small onClick={onTakeTheirs}>
          Continue with theirs
        </Button>
        <Button small onClick={onKeepMine}>
          Continue with mine
        </Button>
      </div>
    </Notice>
  );
}

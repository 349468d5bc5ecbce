import { useState } from "react";
import { Switch } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { lettersAreOn, switchLetters } from "../ui/single-letters.ts";
import styles from "./shortcuts-dialog.module.css";

const KEYS: [keys: string[], does: string][] = [
  [["Ctrl/⌘ K"], "Find or do"],
  [["g", "o c m t r a"], "Overview, Conversations, Metrics, Tests, Runs, Agents"],
  [["/"], "Search this list"],
  [["j", "k", "Return"], "Next, previous, open"],
  [["↑ ↓ ← →"], "Walk through a conversation; open and close its spans"],
  [["x"], "Change the axis of a conversation"],
  [["Space", "← →"], "Play and pause a recording; move in it"],
  [["[", "]"], "Previous and next conversation or failure"],
  [["Ctrl/⌘ S"], "Save"],
  [["Ctrl/⌘ Return"], "Start"],
  [["?"], "This list"],
];

/** The list of shortcuts, and the switch for those of a single letter. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(lettersAreOn);
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className={styles["keys"]}>
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label="Single letters are shortcuts"
        checked={isOn}
        onChange={(on) => {
          switchLetters(on);
          setOn(on);
        }}
      />
    </Dialog>
  );
}

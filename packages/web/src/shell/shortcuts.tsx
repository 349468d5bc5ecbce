import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { lettersAreOn, switchLetters, useKeys } from "../ui/use-keys.ts";
import { Switch } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import styles from "./shortcuts.module.css";

/** Pages that open after `g` and a letter. */
const PLACES = {
  o: "/o/$organizationId/p/$project",
  c: "/o/$organizationId/p/$project/conversations",
  m: "/o/$organizationId/p/$project/metrics",
  t: "/o/$organizationId/p/$project/tests",
  r: "/o/$organizationId/p/$project/runs",
  a: "/o/$organizationId/p/$project/agents",
} as const;

const LETTERS = Object.keys(PLACES) as (keyof typeof PLACES)[];

/** Longest time between `g` and the letter, in milliseconds. */
const PAUSE_MS = 1_500;

const Palette = lazy(() => import("./palette/palette.tsx"));

type ShortcutsProps = { isFinding: boolean; find: (open: boolean) => void };

export function Shortcuts({ isFinding, find }: ShortcutsProps) {
  const [isListed, setListed] = useState(false);
  const navigate = useNavigate();
  const { organizationId, project } = useParams({ strict: false });
  const pressedG = useRef(0);
  const go = (letter: keyof typeof PLACES) => {
    const follows = performance.now() - pressedG.current < PAUSE_MS;
    pressedG.current = 0;
    if (follows && organizationId !== undefined && project !== undefined)
      void navigate({ to: PLACES[letter], params: { organizationId, project } });
  };
  useKeys({
    "mod+k": () => find(!isFinding),
    "?": () => setListed(true),
    g: () => (pressedG.current = performance.now()),
    ...Object.fromEntries(LETTERS.map((letter) => [letter, () => go(letter)])),
  });
  return (
    <>
      {isFinding && (
        <Suspense fallback={null}>
          <Palette onClose={() => find(false)} />
        </Suspense>
      )}
      {isListed && <ShortcutsDialog onClose={() => setListed(false)} />}
    </>
  );
}

const KEYS: [keys: string[], does: string][] = [
  [["Ctrl/⌘ K"], "Find or do"],
  [["g", "o c m t r a"], "Overview, Conversations, Metrics, Tests, Runs, Agents"],
  [["/"], "Search this list"],
  [["j", "k", "Return", "x"], "Next, previous, open, select"],
  [["↑ ↓ ← →"], "Walk through a conversation; open and close its spans"],
  [["x"], "Change the axis of a conversation"],
  [["i"], "Hear the next interruption"],
  [["Space", "← →"], "Play and pause a recording; move in it"],
  [["p", "f", "u"], "Review: passed, failed, unsure"],
  [["n", "s"], "Review: write a note, skip"],
  [["[", "]"], "Previous and next conversation or failure"],
  [["Ctrl/⌘ S"], "Save"],
  [["Ctrl/⌘ Return"], "Start"],
  [["?"], "This list"],
];

function ShortcutsDialog({ onClose }: { onClose: () => void }) {
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

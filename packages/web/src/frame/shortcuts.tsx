import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { useKeys } from "../ui/use-keys.ts";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";

const Palette = lazy(() => import("./palette/palette.tsx"));

/** The pages that `g` and a letter lead to. */
const PLACES = {
  o: "/o/$organizationId/p/$project",
  c: "/o/$organizationId/p/$project/conversations",
  m: "/o/$organizationId/p/$project/metrics",
  t: "/o/$organizationId/p/$project/tests",
  r: "/o/$organizationId/p/$project/runs",
  a: "/o/$organizationId/p/$project/agents",
} as const;
const LETTERS = Object.keys(PLACES) as (keyof typeof PLACES)[];
/** The time in which the letter follows the `g`. */
const PAUSE_MS = 1_500;

type ShortcutsProps = { isFinding: boolean; find: (open: boolean) => void };

/** The shortcuts of every page, the palette and the list of shortcuts. */
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

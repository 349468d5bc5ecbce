import { Check, CircleDashed, CircleHelp, Ellipsis, Loader, type LucideIcon, Minus, X, Zap } from "lucide-react";
import { classes } from "../ui/classes.ts";
import tones from "../ui/tone.module.css";
import styles from "./cell.module.css";
import type { CellLook } from "./grid-rows.ts";

const ICONS: Record<CellLook, LucideIcon | undefined> = {
  passed: Check,
  failed: X,
  inconclusive: CircleHelp,
  errored: Zap,
  not_graded: CircleDashed,
  running: Loader,
  grading: Ellipsis,
  canceled: Minus,
  queued: undefined,
};

type CellShape = { look: CellLook; isPartly?: boolean; isSmall?: boolean; isCurrent?: boolean };

export const cellClass = ({ look, isPartly, isSmall, isCurrent }: CellShape): string =>
  classes(
    styles["cell"],
    styles[look] ?? tones[look],
    isPartly && styles["partly"],
    isSmall && styles["small"],
    isCurrent && styles["current"],
  );

export function CellIcon({ look }: { look: CellLook }) {
  const Icon = ICONS[look];
  return Icon === undefined ? null : <Icon strokeWidth={2.5} aria-hidden />;
}

/** Cell without a link, such as in a legend. */
export function Cell(shape: CellShape) {
  return (
    <span className={cellClass(shape)} aria-hidden>
      <CellIcon look={shape.look} />
    </span>
  );
}

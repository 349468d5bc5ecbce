import { Check, CircleDashed, CircleHelp, type LucideIcon, X, Zap } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./chip.module.css";
import { classes } from "./classes.ts";
import tones from "./tone.module.css";

const VERDICTS: Record<VerdictName, { word: string; icon: LucideIcon }> = {
  passed: { word: "Passed", icon: Check },
  failed: { word: "Failed", icon: X },
  inconclusive: { word: "Inconclusive", icon: CircleHelp },
  errored: { word: "Errored", icon: Zap },
  not_graded: { word: "Not graded", icon: CircleDashed },
};

const WORDS: Record<ProvenanceName, string> = {
  heard: "heard in the call",
  measured: "measured",
  provider_reported: "reported by the platform",
  approximate: "approximate",
  unavailable: "unavailable",
};

type Tone = "plain" | "quiet" | "accent" | "warning" | "passed" | "failed" | "inconclusive" | "errored" | "not_graded";

/** Colour is never the only difference between two chips. */
export function Chip({
  tone = "quiet",
  icon: Icon,
  children,
}: {
  tone?: Tone;
  icon?: LucideIcon;
  children: ReactNode;
}) {
  return (
    <span className={classes(styles["chip"], tones[tone], Icon !== undefined && styles["withIcon"])}>
      {Icon && <Icon size={13} strokeWidth={2.25} aria-hidden />}
      <span>{children}</span>
    </span>
  );
}

export type VerdictName = "passed" | "failed" | "inconclusive" | "errored" | "not_graded";

export const wordOf = (verdict: VerdictName): string => VERDICTS[verdict].word;

export function Verdict({ verdict }: { verdict: VerdictName | null | undefined }) {
  if (!verdict) return <Chip tone="plain">Pending</Chip>;
  const { word, icon } = VERDICTS[verdict];
  return (
    <Chip tone={verdict} icon={icon}>
      {word}
    </Chip>
  );
}

type VerdictIconProps = {
  verdict: VerdictName;
  size?: number;
  /** Whether the icon has the colour of the surrounding text and no accessible name. */
  plain?: boolean;
};

export function VerdictIcon({ verdict, size = 13, plain }: VerdictIconProps) {
  const { word, icon: Icon } = VERDICTS[verdict];
  if (plain) return <Icon size={size} strokeWidth={2.5} aria-hidden />;
  return (
    <Icon
      size={size}
      strokeWidth={2.25}
      role="img"
      aria-label={word}
      className={classes(styles["icon"], tones[verdict])}
    />
  );
}

/** Source of a value, from the most to the least reliable. */
export type ProvenanceName = "heard" | "measured" | "provider_reported" | "approximate" | "unavailable";

/** With `short`, only screen readers read the word. */
export function Provenance({ provenance, short }: { provenance: ProvenanceName; short?: boolean }) {
  return (
    <span className={styles["provenance"]} title={WORDS[provenance]}>
      <i className={classes(styles["mark"], styles[provenance])} aria-hidden />
      <span className={short ? "visually-hidden" : undefined}>{WORDS[provenance]}</span>
    </span>
  );
}

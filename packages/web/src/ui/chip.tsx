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

/** A short fact with a shape. Colour is never the only difference. */
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

/** The verdicts of simulations and behaviors. */
export type VerdictName = "passed" | "failed" | "inconclusive" | "errored" | "not_graded";

/** Returns the word of a verdict. */
export const wordOf = (verdict: VerdictName): string => VERDICTS[verdict].word;

/** A verdict as shape, word and colour. Without a verdict, shows that it is still open. */
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
  /** Uses the colour and the accessible name of the surrounding element. */
  plain?: boolean;
};

/** A verdict as a shape with an accessible name. */
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

/** Where a value comes from, from the strongest source to the weakest. */
export type ProvenanceName = "heard" | "measured" | "provider_reported" | "approximate" | "unavailable";

/** The source of a value, as a shape and a word. With `short`, only screen readers get the word. */
export function Provenance({ provenance, short }: { provenance: ProvenanceName; short?: boolean }) {
  return (
    <span className={styles["provenance"]} title={WORDS[provenance]}>
      <i className={classes(styles["mark"], styles[provenance])} aria-hidden />
      <span className={short ? "visually-hidden" : undefined}>{WORDS[provenance]}</span>
    </span>
  );
}

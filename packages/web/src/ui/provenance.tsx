import styles from "./provenance.module.css";
import { classes } from "./classes.ts";

/** The sources of a value, from the strongest to the weakest. */
export type ProvenanceName = "heard" | "measured" | "provider_reported" | "approximate" | "unavailable";

const WORDS: Record<ProvenanceName, string> = {
  heard: "heard in the call",
  measured: "measured",
  provider_reported: "reported by the platform",
  approximate: "approximate",
  unavailable: "unavailable",
};

/** The source of a value as a shape and a word; `short` leaves the word to screen readers. */
export function Provenance({ provenance, short }: { provenance: ProvenanceName; short?: boolean }) {
  return (
    <span className={styles["provenance"]} title={WORDS[provenance]}>
      <i className={classes(styles["mark"], styles[provenance])} aria-hidden />
      <span className={short ? "visually-hidden" : undefined}>{WORDS[provenance]}</span>
    </span>
  );
}

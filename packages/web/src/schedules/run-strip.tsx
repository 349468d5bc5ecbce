import type { Schedule } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { LoaderCircle } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { VerdictIcon } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import tones from "../ui/tone.module.css";
import { outcomeWords, timeInZone, verdictOf } from "./schedule-words.ts";
import styles from "./schedules.module.css";

type Run = Schedule["lastRuns"][number];

/** The newest run is at the end. */
export function RunStrip({ runs, timeZone }: { runs: readonly Run[]; timeZone: string }) {
  const { params } = usePlace();
  return (
    <ol className={styles["strip"]} aria-label="Last runs, oldest first">
      {runs.toReversed().map(({ runId, outcome, scheduledFor, createdAt }) => {
        const verdict = verdictOf(outcome);
        const words = `${outcomeWords(outcome)}, ${timeInZone(scheduledFor ?? createdAt, timeZone)}`;
        return (
          <li key={runId}>
            <Link
              to="/o/$organizationId/p/$project/runs/$runId"
              params={{ ...params, runId }}
              className={classes(styles["mark"], tones[verdict ?? "plain"])}
              aria-label={words}
              title={words}
            >
              {verdict === null ? <LoaderCircle size={13} aria-hidden /> : <VerdictIcon verdict={verdict} plain />}
            </Link>
          </li>
        );
      })}
    </ol>
  );
}

import type { Run, RunComparison } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import { Check, Minus, X } from "lucide-react";
import type { ReactNode } from "react";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { formatCount, formatPercent } from "../ui/format.ts";
import { Interval } from "../ui/small-plots.tsx";
import { UserText } from "../ui/user-text.tsx";
import { Cell } from "./cell.tsx";
import styles from "./compare.module.css";
import type { CellLook } from "./grid-rows.ts";
import { pText, runName } from "./run-words.ts";

const SQUARES_MAX = 240;

type PassingCardProps = { comparison: RunComparison; before: Run; now: Run };

/** The statistical test uses only the pairs that changed. */
export function PassingCard({ comparison, before, now }: PassingCardProps) {
  const { passingSentence, p, regressed, mended, pairs } = comparison;
  const unchanged = pairs - regressed.length - mended.length;
  return (
    <Card
      title={
        <span className={styles["cardTitle"]}>
          Passing <Outcome comparison={comparison} />
        </span>
      }
    >
      <Rate name="before" run={before} side={comparison.first} />
      <Rate name="now" run={now} side={comparison.second} tone={toneOf(comparison)} />
      <div className={classes(styles["rate"], styles["axisLine"])}>
        <span />
        <div className={styles["axis"]} aria-hidden>
          <span>0%</span>
          <span>50%</span>
          <span>100%</span>
        </div>
        <span />
      </div>
      <div className={styles["flips"]}>
        <Squares
          title={`${formatCount(mended.length)} mended`}
          note="did not pass before, pass now"
          count={mended.length}
        >
          <Cell look="passed" isSmall />
        </Squares>
        <Squares
          title={`${formatCount(regressed.length)} regressed`}
          note="passed before, do not pass now"
          count={regressed.length}
        >
          <Cell look="failed" isSmall />
        </Squares>
        <Squares title={`${formatCount(unchanged)} unchanged`} note={unchangedNote(comparison)} count={unchanged}>
          <Cell look={"queued" satisfies CellLook} isSmall />
        </Squares>
      </div>
      <p className={styles["sentence"]}>
        {withoutP(passingSentence)} <span className={styles["faint"]}>({pText(p)})</span>
      </p>
    </Card>
  );
}

/** The card shows the p value after the sentence. */
const withoutP = (sentence: string): string => sentence.replace(/ \(p [=<] [^)]*\)/, "");

const toneOf = ({ passingDiffers, passRateDifference }: RunComparison): "better" | "worse" | undefined => {
  const difference = passRateDifference?.value ?? 0;
  if (!passingDiffers || difference === 0) return undefined;
  return difference > 0 ? "better" : "worse";
};

function Outcome({ comparison }: { comparison: RunComparison }) {
  if (!comparison.passingDiffers)
    return (
      <Chip tone="not_graded" icon={Minus}>
        not distinguishable
      </Chip>
    );
  const isBetter = toneOf(comparison) === "better";
  return (
    <Chip tone={isBetter ? "passed" : "failed"} icon={isBetter ? Check : X}>
      more than chance
    </Chip>
  );
}

function unchangedNote({ first, second, regressed, unpaired }: RunComparison): string {
  if (unpaired > 0 || first.errored + second.errored > 0) return "the same on both sides";
  const passed = first.passed - regressed.length;
  return `${formatCount(passed)} pass on both sides`;
}

type RateProps = { name: string; run: Run; side: RunComparison["first"]; tone?: "better" | "worse" | undefined };

function Rate({ name, run, side, tone }: RateProps) {
  const { params } = usePlace();
  const { passRate, passRateLow, passRateHigh, passed, played } = side;
  return (
    <div className={styles["rate"]}>
      <div className={styles["run"]}>
        <span>{name}</span>
        <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...params, runId: run.id }}>
          <UserText inline text={runName(run)} />
        </Link>
      </div>
      <div className={classes(styles["interval"], tone !== undefined && styles[tone])}>
        <Interval low={passRateLow} high={passRateHigh} value={passRate} label={`Pass rate ${name}`} />
      </div>
      <div className={styles["number"]}>
        <b>{formatPercent(passRate)}</b>{" "}
        <span className={styles["faint"]}>
          {passRateLow === null || passRateHigh === null
            ? `${passed} of ${played}`
            : `${formatPercent(passRateLow)} to ${formatPercent(passRateHigh)}`}
        </span>
      </div>
    </div>
  );
}

type SquaresProps = { title: string; note: string; count: number; children: ReactNode };

const Squares = ({ title, note, count, children }: SquaresProps) => (
  <div>
    <h3>{title}</h3>
    <p className={styles["faint"]}>{note}</p>
    <div className={styles["squares"]} aria-hidden>
      {Array.from({ length: Math.min(count, SQUARES_MAX) }, (_, at) => (
        <span key={at}>{children}</span>
      ))}
      {count > SQUARES_MAX && `and ${formatCount(count - SQUARES_MAX)} more`}
    </div>
  </div>
);

import { type Interval, wilson } from "./statistics.ts";

type Side = "passed" | "failed";

/** With fewer labels, agreement is chance. */
const AGREEMENT_LABELS_MIN = 20;
/** With fewer labels of one verdict, the share of wrong grades among them is chance. */
const SIDE_LABELS_MIN = 10;

/** A share with its 95 percent Wilson interval; null with the reason when the labels do not suffice. */
type MeasuredShare = { value: number | null; low: number | null; high: number | null };

/** How far a judge's verdicts agree with people's labels; null where the labels do not suffice. */
type Agreement = {
  labels: number;
  agreement: number | null; // share of labels
  agreementLow: number | null;
  agreementHigh: number | null;
  kappa: number | null; // Cohen's: agreement beyond that of chance
  kappaLow: number | null;
  kappaHigh: number | null;
  falsePass: number | null; // share of the conversations that people call failed
  falsePassLow: number | null;
  falsePassHigh: number | null;
  falseFail: number | null; // share of the conversations that people call passed
  falseFailLow: number | null;
  falseFailHigh: number | null;
  /** Why a value is null; null when none is. */
  missing: string | null;
};

/** Returns the agreement with Wilson's 95 percent intervals. Kappa's interval takes the agreement by chance as exact (Cohen 1960). */
export function agreementOf(labels: readonly { grader: Side; person: Side }[]): Agreement {
  const count = (grader: Side, person: Side) =>
    labels.filter((label) => label.grader === grader && label.person === person).length;
  const [bothPass, falsePass] = [count("passed", "passed"), count("passed", "failed")];
  const [falseFail, bothFail] = [count("failed", "passed"), count("failed", "failed")];
  const n = labels.length;
  const [failed, passed] = [falsePass + bothFail, falseFail + bothPass];
  const agreed = shareOf(bothPass + bothFail, n, AGREEMENT_LABELS_MIN);
  const byChance = ((bothPass + falsePass) * passed + (falseFail + bothFail) * failed) / (n * n);
  const beyondChance = (share: number | null) =>
    share === null || byChance === 1 ? null : Math.max(-1, (share - byChance) / (1 - byChance));
  const wrongPass = shareOf(falsePass, failed, SIDE_LABELS_MIN);
  const wrongFail = shareOf(falseFail, passed, SIDE_LABELS_MIN);
  return {
    labels: n,
    agreement: agreed.value,
    agreementLow: agreed.low,
    agreementHigh: agreed.high,
    kappa: beyondChance(agreed.value),
    kappaLow: beyondChance(agreed.low),
    kappaHigh: beyondChance(agreed.high),
    falsePass: wrongPass.value,
    falsePassLow: wrongPass.low,
    falsePassHigh: wrongPass.high,
    falseFail: wrongFail.value,
    falseFailLow: wrongFail.low,
    falseFailHigh: wrongFail.high,
    missing: missingWords(n, failed, passed, byChance),
  };
}

function shareOf(part: number, whole: number, least: number): MeasuredShare {
  const interval: Interval | null = whole < least ? null : wilson(part, whole);
  if (interval === null) return { value: null, low: null, high: null };
  return { value: part / whole, low: interval.low, high: interval.high };
}

function missingWords(labels: number, failed: number, passed: number, byChance: number): string | null {
  const missing: string[] = [];
  if (labels < AGREEMENT_LABELS_MIN)
    missing.push(`Agreement needs at least ${AGREEMENT_LABELS_MIN} labels of judged grades; there are ${labels}.`);
  else if (byChance === 1) missing.push("Kappa needs labels or grades of both verdicts.");
  for (const [verdict, number, share] of [
    ["failed", failed, "false passes"],
    ["passed", passed, "false fails"],
  ] as const) {
    if (number < SIDE_LABELS_MIN)
      missing.push(
        `The share of ${share} needs at least ${SIDE_LABELS_MIN} labels \`${verdict}\`; there are ${number}.`,
      );
  }
  return missing.length === 0 ? null : missing.join(" ");
}
